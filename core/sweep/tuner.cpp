#include "core/sweep/tuner.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/config/experiment_kinds.h"
#include "core/sweep/single_run.h"

namespace runahead::sweep {

namespace {

Json settings_of_every_batch(const config::ExperimentConfig& config) {
  if (config::runs_command(config)) return {{"environment", {{"RUNAHEAD_BLOCKING", "1"}}}};
  return {{"sync", {{"policy", "every_batch"}}}};
}

Json settings_of_none(const config::ExperimentConfig& config) {
  if (config::runs_command(config)) return {{"environment", {{"RUNAHEAD_LIMIT", "off"}}}};
  return {{"sync", {{"policy", "none"}}}};
}

/// Examples per second or, if that is unknown, runs per second; 0 if not measured.
double throughput_of(const record::Record& record) {
  if (record.time.examples_per_second) return *record.time.examples_per_second;
  const double seconds = record.time.total_seconds.value_or(0.0);
  return record.results.contains("program") && seconds > 0.0 ? 1.0 / seconds : 0.0;
}

void add_figures(const record::Record& record, PolicyRuns& runs) {
  ++runs.count;
  if (const auto& rate = record.time.examples_per_second) runs.examples_per_second.push_back(*rate);
  if (record.time.total_seconds) runs.seconds.push_back(*record.time.total_seconds);
  if (const auto peak = occupied_peak_bytes(record)) runs.peak_bytes.push_back(*peak);
  if (const auto& growth = record.memory.rss_growth_bytes) {
    runs.growth_bytes.push_back(static_cast<double>(*growth));
  }
}

[[noreturn]] void throw_for_no_recording(const record::Record& record) {
  throw Error(
      "tune: the command recorded " +
      (record.results["program"].value("is_recorded", false)
           ? "a loop on " + record.device + ", whose queue has no bound by bytes"
           : std::string("no loop of its own")) +
      "; tune needs a Python script that trains on acpu, and imports torch with the wheel " +
      "of runahead installed, or runahead itself");
}

/// The least that a run commits. Counting outputs that were only promised can make it more.
std::optional<std::uint64_t> least_bytes(const record::Record& every_batch) {
  const auto occupied = occupied_peak_bytes(every_batch);
  const auto& committed = every_batch.memory.committed_peak_bytes;
  if (!occupied || !committed) return std::nullopt;
  return std::min(*committed, static_cast<std::uint64_t>(*occupied));
}

}  // namespace

Tuner::Tuner(const config::ExperimentConfig& config, CellRunner& runner, const TuneOptions& options)
    : config_(config), runner_(runner), options_(options) {
  RUNAHEAD_REQUIRE(config.batches >= 2 || config::runs_command(config),
                   "one batch cannot run ahead");
  RUNAHEAD_REQUIRE(options.target > 0.0 && options.target < 1.0, "a target is between 0 and 1");
}

void Tuner::run() {
  const record::Record every_batch = run_with(settings_of_every_batch(config_));
  const record::Record none = run_with(settings_of_none(config_));
  const auto least = least_bytes(every_batch);
  const auto& most = none.memory.committed_peak_bytes;
  if (config::runs_command(config_)) {
    if (!least || !most) throw_for_no_recording(none);
  } else {
    const Ladder windows = window_ladder(static_cast<std::uint64_t>(config_.batches) - 1);
    result_.window = search(windows, Bound::kWindow);
  }
  if (none.device != "acpu" || !least || !most) return;
  result_.bytes = search(byte_ladder(*least, *most), Bound::kBytes);
}

SmallestFound Tuner::search(const Ladder& ladder, Bound bound) {
  SmallestFound found =
      find_smallest(ladder, [&](std::uint64_t value) { return judge(bound, value); });
  found.stopped_by_bound = result_.reached_most_cells;
  if (found.stopped_by_bound) found.stopped_by_noise = false;
  return found;
}

Verdict Tuner::judge(Bound bound, std::uint64_t value) {
  if (result_.reached_most_cells) return Verdict::kNone;
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
  const Json bounded = settings_of(config_, candidate.bound, candidate.value);
  const Json unbounded = settings_of_none(config_);
  const bool none_first = result_.pairs++ % 2 == 1;
  const record::Record first = run_with(none_first ? unbounded : bounded);
  const record::Record second = run_with(none_first ? bounded : unbounded);
  if (!counts(first, second)) return;
  const record::Record& of_none = none_first ? first : second;
  const record::Record& of_candidate = none_first ? second : first;
  add_figures(of_none, result_.none);
  add_figures(of_candidate, candidate.runs);
  candidate.ratio.add(throughput_of(of_candidate), throughput_of(of_none));
}

bool Tuner::counts(const record::Record& one, const record::Record& other) {
  // A wait for a GPU leaves the CPU idle, and how long a program sleeps is unknown, so their shares
  // of the CPU show nothing.
  if (config_.device != "acpu" || config::runs_command(config_)) return true;
  if (had_the_cpu(one, config_) && had_the_cpu(other, config_)) return true;
  ++result_.disturbed_pairs;
  return repeats_left_-- <= 0;
}

Cell Tuner::cell_of(const Json& settings) const {
  Json document = config::to_json(config_);
  if (config::runs_command(config_)) {
    for (const char* variable : {"RUNAHEAD_LIMIT", "RUNAHEAD_BLOCKING"}) {
      document["environment"].erase(variable);
    }
  } else {
    document.erase("sync");
    document.erase("checkpoint");  // A run would resume from the one before.
    document["acpu"]["limit"] = "off";
  }
  document.merge_patch(settings);
  Cell cell = sweep::cell_of(config::read_experiment(document, "tune"));
  cell.axes = settings.flatten();
  return cell;
}

record::Record Tuner::run_with(const Json& settings) {
  record::Record record = run_cell(runner_, cell_of(settings), result_.cells++);
  if (record.status == record::Status::kSkipped) {
    throw UnavailableError("tune: " + record.error.value_or("something needed is not there"));
  }
  if (record.status != record::Status::kOk || throughput_of(record) <= 0.0) {
    throw Error("tune: a run with " + dump_json(settings) +
                (config::runs_command(config_) ? "" : " and \"limit\": \"off\"") + " ended as " +
                std::string(name_of(record.status)) + ": " +
                record.error.value_or("it measured no throughput") +
                "; tune needs runs that succeed: if time or memory ran out, use fewer batches or a "
                "smaller model");
  }
  if (options_.on_record) options_.on_record(record);
  return record;
}

Json settings_of(const config::ExperimentConfig& config, Bound bound, const Json& value) {
  if (config::runs_command(config)) return {{"environment", {{"RUNAHEAD_LIMIT", value}}}};
  if (bound == Bound::kWindow) return {{"sync", {{"policy", "window"}, {"batches", value}}}};
  return {{"sync", {{"policy", "budget"}, {"bytes", value}}}};
}

}  // namespace runahead::sweep
