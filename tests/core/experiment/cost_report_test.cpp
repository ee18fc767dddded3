#include <gmock/gmock.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "core/device/device.h"
#include "core/experiment/cost_report.h"
#include "core/experiment/device_session.h"

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

/// A run of 100 such batches, of which 20 are fitted.
struct CostRun {
  CostRun() {
    config.batches = 130;  // A job that resumed after 30.
    config.sync = {"none"};
    record.time.total_seconds = 1101.0;
    record.backlog.bytes_peak = 8'800;
  }

  Json report() {
    report_costs(unwaited(20), context, record);
    return record.results["cost_model"];
  }

  ExperimentConfig config{};
  record::Record record{};
  CostContext context{.config = config,
                      .batches = 100,
                      .started = at(0),
                      .t3_seconds = 0.5,
                      .trained_state_bytes = 1000,
                      .batch_bytes = 10,
                      .batch_kept_bytes = 20};
};

TEST(CostReport, PredictsTheRestFromTheBatchTimeline) {
  struct Row {
    const char* what;
    std::function<void(CostRun&)> change;
    double rest_seconds;  ///< Of the 80 batches that are not fitted.
    std::optional<std::uint64_t> backlog_bytes;
  };
  const auto keeps_budget = [](std::int64_t bytes) {
    return [bytes](CostRun& run) {
      run.config.sync = {"budget", {{"bytes", bytes}}};
      run.context.loop_keeps_budget = true;
      run.context.batch_kept_bytes = bytes == 1 ? 0 : 20;
    };
  };
  const Row rows[] = {
      {"no bound", [](CostRun&) {}, 80 * 10.0, 100 * 100 - 100 * 199 / 10},
      {"a limit, beyond parameters", [](CostRun& run) { run.context.limit_bytes = 5'000; },
       80 * 10.0, 4'000},
      {"a budget of one batch is a window", keeps_budget(39), 80 * (1.0 + 10.0 + 0.5), {}},
      {"a budget holds no batch that keeps nothing", keeps_budget(1), 80 * 10.0, {}},
      // 20 batches claimed 2000 bytes with 20 - 3.9 of them queued, 10 bytes each.
      {"in stream order, only inputs queue up",
       [](CostRun& run) { run.config.acpu.allocation = config::Allocation::kInStreamOrder; },
       80 * 10.0, 2'000 - 161 + 801},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    CostRun run;
    row.change(run);
    run.report();
    EXPECT_DOUBLE_EQ(run.record.time.t1_seconds.value(), 2.0);
    EXPECT_DOUBLE_EQ(run.record.time.t2_seconds.value(), 10.0);
    EXPECT_DOUBLE_EQ(run.record.time.t3_seconds.value(), 0.5);
    EXPECT_DOUBLE_EQ(run.record.time.predicted_total_seconds.value(), 201.0 + row.rest_seconds);
    if (row.backlog_bytes) {
      EXPECT_EQ(run.record.backlog.predicted_bytes_peak, row.backlog_bytes);
    }
  }
}

TEST(CostReport, HasTheBottleneckWhatWaitingWouldCostAndHowFarOffItWas) {
  CostRun run;
  const Json model = run.report();

  EXPECT_EQ(model["fitted_batches"], 20);
  EXPECT_EQ(model["bottleneck"], "back_end");
  EXPECT_DOUBLE_EQ(model["total_error"], (1101.0 - 201.0) / 800.0 - 1.0);
  EXPECT_DOUBLE_EQ(model["backlog_error"], 8'800.0 / 8'010.0 - 1.0);
  const Json expected = {{"none", {{"total_seconds", 1001.5}, {"backlog_bytes", 8'010}}},
                         {"every_batch", {{"total_seconds", 1001.5}, {"backlog_bytes", 170}}}};
  EXPECT_EQ(model["predictions"], expected);
  run.record.status = record::Status::kInterrupted;
  EXPECT_TRUE(run.report()["total_error"].is_null()) << "it was cut short";
}

TEST(CostReport, OfADeviceThatExecutesAtIssueIsTheSameUnderEveryPolicy) {
  CostRun run;
  run.context.loop.executes_at_issue = true;
  const Json predictions = run.report()["predictions"];

  EXPECT_EQ(predictions["none"], predictions["every_batch"]);
  EXPECT_FALSE(run.record.backlog.predicted_bytes_peak);
}

// What a run asks of its device outside the loop.

/// What was asked of a device's memory.
struct MemoryCalls {
  int resets = 0;
  int trims = 0;
};

class FakeMemory final : public train::DeviceMemory {
 public:
  explicit FakeMemory(MemoryCalls& calls) : calls_(calls) {}
  void reset_peaks() override { ++calls_.resets; }
  void trim() override { ++calls_.trims; }
  [[nodiscard]] Json report() const override { return {{"used_peak_bytes", 5}}; }
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const override {
    std::vector<std::unique_ptr<memory::Probe>> probes;
    probes.push_back(std::make_unique<memory::FunctionProbe>(
        std::vector<memory::Column>{"fake_bytes"},
        [](std::span<memory::Reading> readings) { readings[0] = 5; }));
    return probes;
  }

 private:
  MemoryCalls& calls_;
};

/// A session on `cpu`, whose memory is said to be of its own.
class DeviceMemoryTest : public ::testing::Test {
 protected:
  DeviceMemoryTest() {
    config_.device = "cpu";
    factories_.device_memory = [this](torch::Device) {
      return std::make_unique<FakeMemory>(calls_);
    };
  }

  MemoryCalls calls_{};
  config::ExperimentConfig config_{};
  Factories factories_{};
};

TEST_F(DeviceMemoryTest, IsTrimmedResetReportedAndProbedWithTheOthers) {
  DeviceSession session(config_, factories_);
  EXPECT_EQ(calls_.resets + calls_.trims, 0);

  session.trim_memory();
  EXPECT_EQ(calls_.trims, 1);
  session.reset_counters();
  EXPECT_EQ(calls_.resets, 1);
  record::Record record;
  session.report(record);
  EXPECT_EQ(record.memory.cuda.at("used_peak_bytes"), 5);
  EXPECT_EQ(session.make_probes().size(), 1U);
}

TEST_F(DeviceMemoryTest, MayBeThatOfNone) {
  using Make = decltype(factories_.device_memory);
  for (const Make& make : {Make(), Make([](torch::Device) { return nullptr; })}) {
    factories_.device_memory = make;
    DeviceSession session(config_, factories_);
    session.trim_memory();
    session.reset_counters();
    record::Record record;
    session.report(record);

    EXPECT_TRUE(record.memory.cuda.is_null());
    EXPECT_TRUE(session.make_probes().empty());
  }
}

TEST(DeviceSession, WhatABudgetSaysIsInTheRecord) {
  config::ExperimentConfig config;
  config.device = "cpu";
  DeviceSession session(config);
  record::Record silent;
  session.report(silent);

  session.notice_budget("each batch waits");
  record::Record record;
  session.report(record);

  EXPECT_EQ(silent.results.at("limit_notices"), Json::array());
  EXPECT_EQ(record.results.at("limit_notices"), Json::array({"each batch waits"}));
}

TEST(DeviceSession, TrimmingReturnsWhatTheAllocatorKeepsForReuse) {
  config::ExperimentConfig config;
  config.acpu.allocation = config::Allocation::kInStreamOrder;
  DeviceSession session(config);
  session.configure(ThreadPlacement(), std::nullopt);
  torch::ones({1024}, session.device()).add_(1);
  session.back_end().synchronize();
  const device::MemoryStats kept = device::memory_stats();
  ASSERT_GT(kept.reserved_bytes, kept.live_bytes);

  session.trim_memory();

  const device::MemoryStats trimmed = device::memory_stats();
  EXPECT_EQ(trimmed.reserved_bytes, trimmed.live_bytes);
}

}  // namespace
}  // namespace runahead::experiment
