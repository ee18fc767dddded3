#include "core/sweep/single_run.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

/// Runs nothing: every run ends with `status`.
class OneStatusRunner final : public CellRunner {
 public:
  void start(const Cell& cell, const CellJob& job) override {
    result_ = {job, test::record_of(cell, job.repeat, status)};
    ++started;
  }
  CellResult wait_any() override { return result_; }
  bool interrupted() override { return is_interrupted; }

  record::Status status = record::Status::kOk;
  bool is_interrupted = false;
  int started = 0;

 private:
  CellResult result_{};
};

Cell some_cell() { return test::plan_of_seeds(1, 1).cells.front(); }

TEST(SingleRun, GivesTheRecordWhateverItsStatus) {
  OneStatusRunner runner;
  runner.status = record::Status::kCrashed;
  const record::Record record = run_cell(runner, some_cell(), 3);

  EXPECT_EQ(record.status, record::Status::kCrashed);
  EXPECT_EQ(record.repeat, 3);
}

TEST(SingleRun, IsNotStartedAfterAnInterrupt) {
  OneStatusRunner runner;
  runner.is_interrupted = true;

  EXPECT_THROW(static_cast<void>(run_cell(runner, some_cell(), 0)), InterruptedError);
  EXPECT_EQ(runner.started, 0);
}

TEST(SingleRun, ThrowsIfItWasInterrupted) {
  OneStatusRunner runner;
  runner.status = record::Status::kInterrupted;

  EXPECT_THROW(static_cast<void>(run_cell(runner, some_cell(), 0)), InterruptedError);
}

TEST(SingleRun, HadTheCpuIfItWasBusyOrTheSourceAsleep) {
  const Cell cell = some_cell();
  record::Record record = test::record_of(cell, 0, record::Status::kOk);
  record.time.total_seconds = 3.0;
  EXPECT_TRUE(had_the_cpu(record, cell.config));

  record.time.cpu_seconds = 2.8;
  EXPECT_TRUE(had_the_cpu(record, cell.config));
  record.time.cpu_seconds = 2.6;
  EXPECT_FALSE(had_the_cpu(record, cell.config));

  config::ExperimentConfig slow = cell.config;
  slow.data.seconds_per_batch = 0.1;
  EXPECT_EQ(slow.batches, 3);
  EXPECT_TRUE(had_the_cpu(record, slow));
}

TEST(SingleRun, OccupiesLiveBytesAndQueuedInputs) {
  record::Record record = test::record_of(some_cell(), 0, record::Status::kOk);
  EXPECT_EQ(occupied_peak_bytes(record), std::nullopt);

  record.memory.live_peak_bytes = 40;
  record.memory.held_peak_bytes = 7;
  EXPECT_EQ(occupied_peak_bytes(record), 47.0);

  record.results["occupied_peak_bytes"] = 45;  // Their peaks were not at one moment.
  EXPECT_EQ(occupied_peak_bytes(record), 45.0);
}

}  // namespace
}  // namespace runahead::sweep
