#include "core/reproduce/gpu_check_results.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/config/sweep_config.h"
#include "core/record/record_file.h"

namespace runahead::reproduce {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTestReportBytes = std::size_t{64} << 20;
const std::vector<std::string> kPair{"every_batch", "none"};

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The last record of each cell and repeat, ordered by cell id and repeat.
std::vector<record::Record> newest_records(const fs::path& path) {
  std::map<std::pair<std::string, std::int64_t>, record::Record> newest;
  record::for_each_record(path, [&newest](const record::Record& record) {
    newest.insert_or_assign({record.id, record.repeat}, record);
  });
  std::vector<record::Record> records;
  for (auto& [key, record] : newest) records.push_back(std::move(record));
  return records;
}

record::Record facts(Json results) {
  record::Record record;
  record.results = std::move(results);
  return record;
}

double batch_size_of(const record::Record& record) {
  return record.axes.value("/data/batch_size", 0.0);
}

/// The largest batch size of `out_of_memory` must run out of memory; every other run of any sweep
/// must end ok.
std::size_t count_unexpected(const std::string& sweep, const std::vector<record::Record>& records) {
  double too_large = 0.0;
  for (const auto& record : records) too_large = std::max(too_large, batch_size_of(record));
  return static_cast<std::size_t>(std::ranges::count_if(records, [&](const record::Record& record) {
    const bool must_fail = sweep == "out_of_memory" && batch_size_of(record) == too_large;
    return record.status != (must_fail ? record::Status::kOutOfMemory : record::Status::kOk);
  }));
}

std::string states_of(const std::vector<record::Record>& records) {
  std::map<std::string, int> counts;
  for (const auto& record : records) ++counts[std::string(record::name_of(record.status))];
  return joined(counts, ", ",
                [](const auto& state) { return std::to_string(state.second) + " " + state.first; });
}

/// @param asked_by  The sweep's config.
Json sweep_results(const std::string& sweep, const std::vector<record::Record>& records,
                   const fs::path& asked_by) {
  const config::SweepConfig config = config::load_sweep(asked_by);
  Json results = {
      {"runs", records.size()},
      {"asked", config::combination_count(config) * static_cast<std::size_t>(config.repeats)},
      {"unexpected", count_unexpected(sweep, records)},
      {"states", states_of(records)}};
  int summaries = 0;
  int without_summary = 0;
  for (const auto& record : records) {
    if (record.status != record::Status::kOutOfMemory) continue;
    const Json& cuda = record.memory.cuda;
    const Json summary = cuda.is_object() ? cuda.value("out_of_memory_summary", Json()) : Json();
    ++(summary.is_string() && summary != "" ? summaries : without_summary);
  }
  results["summaries"] = summaries;
  results["without_summary"] = without_summary;
  return results;
}

void add_to_charts(Measured& measured, const std::string& sweep,
                   const std::vector<record::Record>& records) {
  for (const CudaChart& chart : cuda_charts()) {
    if (chart.sweep != sweep) continue;
    for (const auto& record : records) {
      if (!chart.pointer.empty() && record.axes.value(chart.pointer, Json()) != chart.value)
        continue;
      measured.add(chart.run(record.axes.value("/sync/policy", "")), record);
    }
  }
}

/// Adds the counts of a JUnit file; adds nothing if the file is missing or incomplete.
void add_tests(Measured& measured, const fs::path& path) {
  if (!fs::exists(path)) return;
  const std::string text = read_file(path, kMaxTestReportBytes);
  const std::string suite = text.substr(0, text.find('>', text.find("<testsuite")));
  Json results;
  for (const char* count : {"tests", "failures", "skipped"}) {
    std::smatch found;
    if (!std::regex_search(suite, found, std::regex("\\s" + std::string(count) + "=\"(\\d+)\""))) {
      return;
    }
    results[count] = std::stol(found[1]);
  }
  measured.add("tests", facts(std::move(results)));
}

/// Adds nothing if none of the programs has run.
void add_programs(Measured& measured, const fs::path& folder, const fs::path& configs) {
  if (!fs::exists(folder / "tutorials") && !fs::exists(folder / "transfer.json")) return;
  std::set<std::string> missing;
  for (const auto& file : fs::directory_iterator(configs / "tutorials")) {
    const std::string name = file.path().stem().string();
    const fs::path path = folder / "tutorials" / name / "record.json";
    if (!fs::exists(path) || record::read_record(path).status != record::Status::kOk) {
      missing.insert(name);
    }
  }
  if (!fs::exists(folder / "transfer.json")) missing.insert("bench transfer");
  measured.add("programs", facts({{"missing", missing}}));
}

}  // namespace

std::string CudaChart::name() const {
  return pointer.empty() ? sweep : sweep + ": " + value_text(value);
}

std::string CudaChart::run(const std::string& policy) const {
  return policies.empty() ? name() : name() + ", " + policy;
}

std::vector<std::string> CudaChart::runs() const {
  if (policies.empty()) return {name()};
  std::vector<std::string> names;
  for (const std::string& policy : policies) names.push_back(run(policy));
  return names;
}

const std::vector<CudaChart>& cuda_charts() {
  static const std::vector<CudaChart> charts{
      {"plain", "", nullptr, {"every_batch", "window", "adaptive", "none"}},
      {"staging", "/cuda/staging", "pageable", kPair},
      {"staging", "/cuda/staging", "pinned", {"every_batch", "none", "budget"}},
      {"staging", "/cuda/staging", "pinned_ring", kPair},
      {"copies", "/cuda/copies", "side_record_stream", {"every_batch", "window", "none"}},
      {"copies", "/cuda/copies", "side_reuse", {"every_batch", "window", "none"}},
      {"outputs", "/outputs", "dropped", kPair},
      {"outputs", "/outputs", "kept", kPair},
      {"losses", "/log_every", 0, kPair},
      {"losses", "/log_every", 16, kPair},
      {"allocator", "/cuda/allocator", "native", kPair},
      {"allocator", "/cuda/allocator", "cuda_malloc_async", kPair},
      {"expandable_segments", "/cuda/expandable_segments", false, kPair},
      {"expandable_segments", "/cuda/expandable_segments", true, kPair},
      {"launch_queue", "/outputs", "dropped", {}},
      {"launch_queue", "/outputs", "kept", {}},
  };
  return charts;
}

const std::vector<std::string>& cuda_sweeps() {
  static const std::vector<std::string> sweeps = [] {
    std::set<std::string> names{"out_of_memory"};
    for (const CudaChart& chart : cuda_charts()) names.insert(chart.sweep);
    return std::vector<std::string>(names.begin(), names.end());
  }();
  return sweeps;
}

Measured read_gpu_check(const fs::path& folder, const fs::path& configs) {
  if (!fs::is_directory(folder)) {
    throw ConfigError("--judge: found '" + folder.string() +
                      "', which is not a folder; give one that scripts/gpu_check wrote");
  }
  Measured measured;
  std::set<std::string> versions;
  for (const std::string& sweep : cuda_sweeps()) {
    const auto records = newest_records(folder / sweep / "records.jsonl");
    if (records.empty()) continue;
    measured.add(sweep, facts(sweep_results(sweep, records, folder / sweep / "sweep.json")));
    add_to_charts(measured, sweep, records);
    for (const auto& record : records) {
      versions.insert(record.environment.runahead + " " + record.environment.git.value_or(""));
    }
  }
  add_tests(measured, folder / "tests.xml");
  add_programs(measured, folder, configs);
  if (!versions.empty()) measured.add("versions", facts({{"versions", versions}}));
  if (measured.is_empty()) {
    throw ConfigError("--judge: found nothing in '" + folder.string() +
                      "' that scripts/gpu_check writes; give a folder that it wrote");
  }
  return measured;
}

}  // namespace runahead::reproduce
