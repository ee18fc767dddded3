#include "core/sweep/single_run.h"

#include <utility>

#include "core/base/error.h"

namespace runahead::sweep {

namespace {
constexpr double kLookSeconds = 0.25;

std::optional<double> result_of(const record::Record& record, const char* key) {
  const auto found = record.results.find(key);
  if (found == record.results.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

}  // namespace

record::Record run_cell(CellRunner& runner, const Cell& cell, std::int64_t repeat,
                        const std::function<void(const RunnerActivity&)>& on_look) {
  if (runner.interrupted()) throw InterruptedError("interrupted");
  runner.start(cell, {.cell = 0, .repeat = repeat});
  std::optional<CellResult> ended;
  while (!ended) {
    if (on_look) on_look(runner.activity(/*detailed=*/0));
    ended = on_look ? runner.wait_any_for(kLookSeconds) : runner.wait_any();
  }
  record::Record record = std::move(ended->record);
  if (record.status == record::Status::kInterrupted) throw InterruptedError("interrupted");
  return record;
}

bool had_the_cpu(const record::Record& record, const config::ExperimentConfig& config) {
  if (!record.time.cpu_seconds || !record.time.total_seconds) return true;
  const double asleep_seconds = static_cast<double>(config.batches) * config.data.seconds_per_batch;
  const double busy_seconds = result_of(record, "busy_seconds").value_or(0.0);
  return *record.time.cpu_seconds + asleep_seconds >= kLeastCpuShare * *record.time.total_seconds &&
         *record.time.cpu_seconds >= kLeastCpuShare * busy_seconds;
}

std::optional<double> occupied_peak_bytes(const record::Record& record) {
  if (const auto occupied = result_of(record, "occupied_peak_bytes")) return occupied;
  if (!record.memory.live_peak_bytes) return std::nullopt;
  return static_cast<double>(*record.memory.live_peak_bytes +
                             record.memory.held_peak_bytes.value_or(0));
}

}  // namespace runahead::sweep
