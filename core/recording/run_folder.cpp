#include "core/recording/run_folder.h"

#include <exception>
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
    write_new_file(folder / (std::string("graph.") + format), text->get<std::string>());
  }
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path, const std::string& name)
    : folder_(std::move(path), name,
              {"samples.csv", "trace.json", "graph.dot", "graph.svg", "recording"}) {}

void RunFolder::write(const record::Record& record, const memory::SampleSeries* samples,
                      std::optional<TimePoint> origin) const {
  std::exception_ptr unwritten;
  try {
    if (samples != nullptr && origin) {
      memory::write_samples_csv(path() / "samples.csv", *samples, *origin);
    }
    write_graph(path(), record);
  } catch (const Error&) {  // The disk is full, for example: the record is small and may still fit.
    unwritten = std::current_exception();
  }
  record::write_record(record_path(), record);
  if (unwritten) std::rethrow_exception(unwritten);
}

}  // namespace runahead::recording
