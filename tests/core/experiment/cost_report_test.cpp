#include "core/experiment/cost_report.h"

#include <gtest/gtest.h>

#include <chrono>

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using train::BatchEvents;
using train::ClaimedBytes;

TimePoint at(double seconds) {
  return TimePoint{} +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Batches that are not waited for: 1 s of data and 1 s of issue each, 10 s of execution (the loss
/// after 4 s) from 1 s on, 100 bytes each, of which 70 are left after the loss.
std::vector<BatchEvents> unwaited(int count) {
  std::vector<BatchEvents> batches;
  for (int i = 0; i < count; ++i) {
    const auto before = static_cast<std::uint64_t>(i) * 100;
    batches.push_back(
        {.admitted = at(2 * i),
         .made = at(2 * i + 1),
         .issued = at(2 * i + 2),
         .returned = at(2 * i + 2),
         .computed = at(10 * i + 5),
         .finished = at(10 * i + 11),
         .when_admitted = ClaimedBytes{.claimed = before},
         .when_issued = ClaimedBytes{.claimed = before + 100},
         .when_returned = ClaimedBytes{.peak = 1000 + 100 * (static_cast<std::uint64_t>(i) + 1)},
         .when_computed = ClaimedBytes{.released = before + 30},
         .when_finished = ClaimedBytes{.released = before + 100}});
  }
  return batches;
}

class CostReportTest : public ::testing::Test {
 protected:
  CostReportTest() {
    config_.batches = 100;
    config_.sync = {"none"};
    record_.time.total_seconds = 1101.0;
    record_.backlog.bytes_peak = 8'800;
  }

  const Json& report() {
    report_costs(unwaited(20), context_, record_);
    return record_.results["cost_model"];
  }

  ExperimentConfig config_{};
  record::Record record_{};
  CostContext context_{.config = config_,
                       .started = at(0),
                       .t3_seconds = 0.5,
                       .trained_state_bytes = 1000,
                       .batch_bytes = 10,
                       .batch_kept_bytes = 20};
};

TEST_F(CostReportTest, PredictsTheRestFromTheBatchTimeline) {
  report();

  EXPECT_DOUBLE_EQ(record_.time.t1_seconds.value(), 2.0);
  EXPECT_DOUBLE_EQ(record_.time.t2_seconds.value(), 10.0);
  EXPECT_DOUBLE_EQ(record_.time.t3_seconds.value(), 0.5);
  EXPECT_DOUBLE_EQ(record_.time.predicted_total_seconds.value(), 201.0 + 80 * 10.0);
  EXPECT_EQ(record_.backlog.predicted_bytes_peak, 100 * 100 - 100 * 199 / 10);
}

TEST_F(CostReportTest, PredictsWhatWaitingWouldCost) {
  const Json predictions = report()["predictions"];

  EXPECT_DOUBLE_EQ(predictions["none"]["total_seconds"], 1.0 + 100 * 10.0 + 0.5);
  EXPECT_EQ(predictions["none"]["backlog_bytes"], 8'010);
  EXPECT_DOUBLE_EQ(predictions["every_batch"]["total_seconds"], 1.0 + 100 * 10.0 + 0.5);
  EXPECT_EQ(predictions["every_batch"]["backlog_bytes"], 170);
}

TEST_F(CostReportTest, ReportsTheBottleneckAndHowFarOffItWas) {
  const Json model = report();

  EXPECT_EQ(model["fitted_batches"], 20);
  EXPECT_EQ(model["bottleneck"], "back_end");
  EXPECT_DOUBLE_EQ(model["total_error"], (1101.0 - 201.0) / 800.0 - 1.0);
  EXPECT_DOUBLE_EQ(model["backlog_error"], 8'800.0 / 8'010.0 - 1.0);
  record_.status = record::Status::kInterrupted;
  EXPECT_TRUE(report()["total_error"].is_null()) << "it was cut short";
}

TEST_F(CostReportTest, LimitBoundsTheBacklogBeyondParameters) {
  context_.limit_bytes = 5'000;
  report();

  EXPECT_EQ(record_.backlog.predicted_bytes_peak, 4'000);
}

TEST_F(CostReportTest, BudgetThatTheLoopKeepsIsAWindow) {
  config_.sync = {"budget", {{"bytes", 39}}};  // Each keeps 20: one fits.
  context_.loop_keeps_budget = true;
  report();

  EXPECT_DOUBLE_EQ(record_.time.predicted_total_seconds.value(), 201.0 + 80 * (1.0 + 10.0 + 0.5));
}

TEST_F(CostReportTest, InStreamOrderOnlyInputsQueueUp) {
  config_.acpu.allocation = config::Allocation::kInStreamOrder;
  report();

  // 20 batches claimed 2000 bytes with 20 - 3.9 of them queued, 10 bytes each.
  EXPECT_EQ(record_.backlog.predicted_bytes_peak, 2'000 - 161 + 801);
}

TEST_F(CostReportTest, DeviceThatExecutesAtIssueTakesTheSameUnderEveryPolicy) {
  context_.loop.executes_at_issue = true;
  const Json predictions = report()["predictions"];

  EXPECT_EQ(predictions["none"], predictions["every_batch"]);
  EXPECT_FALSE(record_.backlog.predicted_bytes_peak);
}

TEST_F(CostReportTest, BudgetThatTheLoopKeepsHoldsNoBatchThatKeepsNothing) {
  config_.sync = {"budget", {{"bytes", 1}}};
  context_.loop_keeps_budget = true;
  context_.batch_kept_bytes = 0;
  report();

  EXPECT_DOUBLE_EQ(record_.time.predicted_total_seconds.value(), 201.0 + 80 * 10.0);
}

}  // namespace
}  // namespace runahead::experiment
