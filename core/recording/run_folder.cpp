#include "core/recording/run_folder.h"

#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/memory/samples_csv.h"
#include "core/record/record_file.h"

namespace runahead::recording {
namespace {

/// Writes each form of the graph that other programs display to its own file.
void write_graph(const std::filesystem::path& folder, const record::Record& record) {
  const auto graph = record.results.find("graph");
  if (graph == record.results.end()) return;
  for (const char* format : {"dot", "svg"}) {
    const auto text = graph->find(format);
    if (text == graph->end() || !text->is_string()) continue;
    write_file_atomically(folder / (std::string("graph.") + format), text->get<std::string>());
  }
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  if (std::filesystem::exists(record_path(), error)) {
    throw ConfigError(
        "'" + path_.string() +
        "' already holds a record, which is never overwritten; name another folder, or "
        "remove this one");
  }
  made_ = make_folder(path_);
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (made_) std::filesystem::remove(path_, ignored);  // Succeeds only if it is empty.
}

void RunFolder::write(const record::Record& record, const memory::SampleSeries* samples,
                      std::optional<TimePoint> origin) const {
  if (samples != nullptr && origin) {
    memory::write_samples_csv(path_ / "samples.csv", *samples, *origin);
  }
  write_graph(path_, record);
  record::write_record(record_path(), record);
}

}  // namespace runahead::recording
