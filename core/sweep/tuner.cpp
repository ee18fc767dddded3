#include "core/sweep/tuner.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/sweep/single_run.h"

namespace runahead::sweep {

namespace {

Json sync_of(Bound bound, std::uint64_t value) {
  if (bound == Bound::kWindow) return {{"policy", "window"}, {"batches", value}};
  return {{"policy", "budget"}, {"bytes", value}};
}

void add_figures(const record::Record& record, PolicyRuns& runs) {
  runs.examples_per_second.push_back(*record.time.examples_per_second);
  if (record.time.total_seconds) runs.seconds.push_back(*record.time.total_seconds);
  if (const auto peak = occupied_peak_bytes(record)) runs.peak_bytes.push_back(*peak);
  if (const auto& growth = record.memory.rss_growth_bytes) {
    runs.growth_bytes.push_back(static_cast<double>(*growth));
  }
}

/// What a run at least commits: counting outputs that were only promised can make it more.
std::optional<std::uint64_t> least_bytes(const record::Record& every_batch) {
  const auto occupied = occupied_peak_bytes(every_batch);
  const auto& committed = every_batch.memory.committed_peak_bytes;
  if (!occupied || !committed) return std::nullopt;
  return std::min(*committed, static_cast<std::uint64_t>(*occupied));
}

}  // namespace

Tuner::Tuner(const config::ExperimentConfig& config, CellRunner& runner, const TuneOptions& options)
    : config_(config), runner_(runner), options_(options) {
  RUNAHEAD_REQUIRE(config.batches >= 2, "one batch cannot run ahead");
  RUNAHEAD_REQUIRE(options.target > 0.0 && options.target < 1.0, "a target is between 0 and 1");
}

void Tuner::run() {
  const record::Record every_batch = run_policy({{"policy", "every_batch"}});
  const record::Record none = run_policy({{"policy", "none"}});
  const Ladder windows = window_ladder(static_cast<std::uint64_t>(config_.batches) - 1);
  result_.window = find_smallest(
      windows, [this](std::uint64_t batches) { return judge(Bound::kWindow, batches); });
  const auto least = least_bytes(every_batch);
  const auto& most = none.memory.committed_peak_bytes;
  if (config_.device != "acpu" || !least || !most) return;
  result_.bytes = find_smallest(byte_ladder(*least, *most), [this](std::uint64_t bytes) {
    return judge(Bound::kBytes, bytes);
  });
}

Verdict Tuner::judge(Bound bound, std::uint64_t value) {
  result_.candidates.push_back(
      {.bound = bound, .value = value, .ratio = PairedRatio(options_.target)});
  TuneCandidate& candidate = result_.candidates.back();
  while (candidate.ratio.needs_more()) {
    if (result_.cells + 2 > options_.most_cells) {
      result_.reached_most_cells = true;
      break;
    }
    measure_pair(candidate);
    if (options_.on_candidate) options_.on_candidate(candidate);
  }
  return candidate.ratio.verdict();
}

void Tuner::measure_pair(TuneCandidate& candidate) {
  const Json bounded = sync_of(candidate.bound, candidate.value);
  const Json unbounded = {{"policy", "none"}};
  const bool none_first = result_.pairs++ % 2 == 1;
  const record::Record first = run_policy(none_first ? unbounded : bounded);
  const record::Record second = run_policy(none_first ? bounded : unbounded);
  if (!counts(first, second)) return;
  const record::Record& of_none = none_first ? first : second;
  const record::Record& of_candidate = none_first ? second : first;
  add_figures(of_none, result_.none);
  add_figures(of_candidate, candidate.runs);
  candidate.ratio.add(*of_candidate.time.examples_per_second, *of_none.time.examples_per_second);
}

bool Tuner::counts(const record::Record& one, const record::Record& other) {
  // A wait for a GPU leaves the CPU idle, so its share shows nothing.
  if (config_.device != "acpu") return true;
  if (had_the_cpu(one, config_) && had_the_cpu(other, config_)) return true;
  ++result_.disturbed_pairs;
  return repeats_left_-- <= 0;
}

Cell Tuner::cell_of(const Json& sync) const {
  Json document = config::to_json(config_);
  document["sync"] = sync;
  document["acpu"]["limit"] = "off";
  Cell cell;
  for (const auto& [key, value] : sync.items()) cell.axes["/sync/" + key] = value;
  cell.config = config::read_experiment(document, "tune");
  cell.id = config::config_id(cell.config);
  return cell;
}

record::Record Tuner::run_policy(const Json& sync) {
  record::Record record = run_cell(runner_, cell_of(sync), result_.cells++);
  if (record.status == record::Status::kSkipped) {
    throw UnavailableError("tune: " + record.error.value_or("something needed is not there"));
  }
  const bool has_throughput = record.time.examples_per_second.value_or(0.0) > 0.0;
  if (record.status != record::Status::kOk || !has_throughput) {
    throw Error("tune: a run with \"sync\": " + dump_json(sync) + " and \"limit\": \"off\" ended " +
                std::string(name_of(record.status)) + ": " +
                record.error.value_or("it measured no throughput") +
                "; tune needs a config that can run so: fewer batches, or a smaller one");
  }
  if (options_.on_record) options_.on_record(record);
  return record;
}

}  // namespace runahead::sweep
