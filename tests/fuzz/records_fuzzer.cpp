// A records.jsonl, torn and damaged in any way: it is mended, read, and takes another record.

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/record/record_file.h"
#include "core/sweep/run_figures.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/memory_file.h"

namespace runahead::fuzz {
namespace {

using Path = std::filesystem::path;

constexpr std::size_t kCells = 2;
constexpr std::int64_t kRepeats = 2;

std::string text_of(const record::Record& record) { return dump_json(record::to_json(record)); }

/// Two cells, "cell-0" and "cell-1": ids of real configs would be others with every new key.
sweep::Plan plan_of_two() {
  sweep::Plan plan{.repeats = kRepeats};
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    plan.cells.add(cell, "cell-" + std::to_string(cell));
  }
  return plan;
}

record::Record next_record() {
  record::Record record;
  record.id = "cell-1";
  record.repeat = kRepeats - 1;
  record.status = record::Status::kTimedOut;
  record.environment = record::collect_environment();
  return record;
}

/// The records of a file, or why it cannot be read.
struct Content {
  std::vector<std::string> records{};
  std::string error{};

  bool operator==(const Content&) const = default;
};

Content read(const Path& path) {
  Content content;
  const auto visit = [&content](const record::Record& record) {
    content.records.push_back(text_of(record));
  };
  content.error = refusal_of([&] { record::for_each_record(path, visit); });
  return content;
}

/// What is written of the records that were read, reads as they did.
void check_records(const std::vector<std::string>& records) {
  std::string written;
  for (const std::string& record : records) written += record + "\n";
  const Content again = read(MemoryFile(written).path());
  require(again == Content{records, ""}, "a record that is written reads otherwise");
}

/// What a crash left is cut off once, and nothing else.
void check_mending(const MemoryFile& file, const Content& before) {
  const std::uint64_t bytes = file.bytes();
  const std::uint64_t cut_bytes = record::cut_torn_line(file.path());
  require(file.bytes() + cut_bytes == bytes, "it cut other bytes than it said");
  require(record::cut_torn_line(file.path()) == 0, "there was something left to cut");
  require(read(file.path()) == before, "mending changed what the file holds");
}

void check_appending(const MemoryFile& file, Content wanted) {
  static const record::Record next = next_record();
  record::append_jsonl(file.path(), next);
  if (wanted.error.empty()) wanted.records.push_back(text_of(next));
  require(read(file.path()) == wanted, "the record that was appended is not the last one");
}

/// Behind the others, the appended record counts.
void check_earlier_runs(const MemoryFile& file, const std::string& error) {
  static const sweep::Plan plan = plan_of_two();
  const std::string refusal = refusal_of([&] {
    const sweep::EarlierRuns earlier = sweep::read_earlier_runs(plan, file.path());
    require(earlier.runs.size() == kCells, "it has other cells than the plan");
    const std::optional<sweep::RunFigures>& run = earlier.runs.back().back();
    require(run && run->status == record::Status::kTimedOut, "the last record does not count");
  });
  require(refusal == error, "only one of two readers refuses it");
}

}  // namespace
}  // namespace runahead::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace runahead::fuzz;
  const MemoryFile file(input_text(data, size));
  const Content found = read(file.path());
  check_records(found.records);
  check_mending(file, found);
  check_appending(file, found);
  check_earlier_runs(file, found.error);
  return 0;
}
