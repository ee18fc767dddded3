#include "core/sweep/single_run.h"

#include "core/base/error.h"

namespace runahead::sweep {

namespace {
constexpr double kLeastCpuShare = 0.9;
}  // namespace

record::Record run_cell(CellRunner& runner, const Cell& cell, std::int64_t repeat) {
  if (runner.interrupted()) throw InterruptedError("interrupted");
  runner.start(cell, {.cell = 0, .repeat = repeat});
  record::Record record = runner.wait_any().record;
  if (record.status == record::Status::kInterrupted) throw InterruptedError("interrupted");
  return record;
}

bool had_the_cpu(const record::Record& record, const config::ExperimentConfig& config) {
  if (!record.time.cpu_seconds || !record.time.total_seconds) return true;
  const double asleep_seconds = static_cast<double>(config.batches) * config.data.seconds_per_batch;
  return *record.time.cpu_seconds + asleep_seconds >= kLeastCpuShare * *record.time.total_seconds;
}

}  // namespace runahead::sweep
