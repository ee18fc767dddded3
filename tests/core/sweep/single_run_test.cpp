#include "core/sweep/single_run.h"

#include <gtest/gtest.h>

#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

Cell some_cell() { return test::plan_of_seeds(1, 1).cells.front(); }

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
