#include "apps/runahead/bench_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/error.h"
#include "support/golden.h"
#include "support/recorded_runner.h"

namespace runahead::apps {
namespace {

using record::Record;
using record::Status;
using ::testing::HasSubstr;

using Change = std::function<void(const config::ExperimentConfig&, Record&)>;

/// `none` makes 1000 examples a second and peaks at 400 bytes with 200 of growth, the others make
/// 900 (500 with a full wait), peak at 100 and grow by 50. Of 2 workers everything peaks at the
/// double. And what a test changes about that.
test::RecordedRunner limits_runner(const Change& change = {}) {
  return test::RecordedRunner([change](const sweep::Cell& cell, const sweep::CellJob& job) {
    Record record = record::make_record(cell.config, job.repeat, cell.axes);
    const bool is_none = cell.config.sync.policy() == "none";
    const auto workers = static_cast<std::uint64_t>(cell.config.acpu.workers);
    const bool waits_for_all = cell.config.sync->wait() == config::WaitKind::kAll;
    record.time.examples_per_second = is_none ? 1000.0 : waits_for_all ? 500.0 : 900.0;
    record.memory.rss_growth_bytes = is_none ? 200 : 50;
    record.memory.live_peak_bytes = (is_none ? 390 : 90) * workers;
    record.results["occupied_peak_bytes"] = (is_none ? 400 : 100) * workers;
    if (change) change(cell.config, record);
    return record;
  });
}

constexpr std::size_t kPolicies = 5;
constexpr std::size_t kSlowPolicies = 6;
constexpr std::size_t kCells = 12;
constexpr std::size_t kSlowCells = 6;

TEST(BenchLimits, MeasuresEveryPolicyInEveryCell) {
  auto runner = limits_runner();
  const Json figures = bench_limits(runner, {.repeats = 2});

  EXPECT_EQ(figures["cells"].size(), kCells);
  EXPECT_EQ(figures["slow_source"]["cells"].size(), kSlowCells);
  EXPECT_EQ(runner.cells.size(), kCells + 2 * (kPolicies * kCells + kSlowPolicies * kSlowCells));
  std::set<std::string> ids;
  for (const auto& cell : runner.cells) ids.insert(config::config_id(cell.config));
  EXPECT_EQ(ids.size(), kPolicies * kCells + kSlowPolicies * kSlowCells);
}

TEST(BenchLimits, TakesRatiosWithinRounds) {
  auto runner = limits_runner();
  const Json cell = bench_limits(runner, {.repeats = 1, .only = "on_host/1/at_issue"})["cells"][0];

  EXPECT_EQ(cell["data"], "on_host");
  EXPECT_EQ(cell["workers"], 1);
  EXPECT_EQ(cell["allocation"], "at_issue");
  EXPECT_EQ(cell["window2"]["throughput_over_none"], 0.9);
  EXPECT_EQ(cell["window2"]["throughput_over_none_min"], 0.9);
  EXPECT_EQ(cell["none"]["growth_bytes"], 200.0);
  EXPECT_EQ(cell["none"]["growth_over_every_batch"], 4.0);
  EXPECT_EQ(cell["none"]["peak_bytes_max"], 400.0);
  EXPECT_EQ(cell["none"]["peak_over_every_batch"], 4.0);
}

TEST(BenchLimits, SummarisesTheCells) {
  auto runner = limits_runner([](const config::ExperimentConfig& config, Record& record) {
    if (config.sync.policy() != "window" || config.acpu.workers != 2) return;
    record.time.examples_per_second = 400.0;
    record.memory.rss_growth_bytes = 150;
  });
  const Json window = bench_limits(runner, {.repeats = 1})["window2"];

  EXPECT_DOUBLE_EQ(window["throughput_over_none"].get<double>(), std::sqrt(0.9 * 0.4));
  EXPECT_EQ(window["throughput_over_none_min"], 0.4);
  EXPECT_EQ(window["throughput_over_none_max"], 0.9);
  EXPECT_EQ(window["growth_bytes"], 100.0);
  EXPECT_EQ(window["growth_bytes_max"], 150.0);
}

TEST(BenchLimits, HasNoMeanOfRatiosThatAreNothing) {
  auto runner = limits_runner([](const config::ExperimentConfig& config, Record& record) {
    if (config.sync.policy() != "every_batch") {
      record.memory.rss_growth_bytes = 0;
    }
  });
  const Json figures = bench_limits(runner, {.repeats = 1, .only = "at_issue"});

  EXPECT_EQ(figures["none"]["growth_bytes"], 0.0);
  EXPECT_EQ(figures["none"]["growth_over_every_batch"], nullptr);
  EXPECT_EQ(figures["cells"][0]["none"]["growth_over_every_batch"], 0.0);
}

TEST(BenchLimits, LearnsTheBudgetFromAWaitPerBatchAndBoundsTheOthersByNothing) {
  auto runner = limits_runner();
  static_cast<void>(bench_limits(runner, {.repeats = 1}));

  for (const auto& [id, axes, config] : runner.cells) {
    if (config.sync.policy() != "budget") {
      EXPECT_EQ(config.acpu.limit.kind, config::LimitConfig::Kind::kOff);
      continue;
    }
    EXPECT_EQ(config.sync->budget_bytes(),
              config.acpu.workers == 1 ? 99U : 288U);  // Of 90 and 180 live.
    EXPECT_EQ(config.acpu.limit.bytes, config.sync->budget_bytes());
  }
}

TEST(BenchLimits, SlowsTheSourceByTheTimeOfAStep) {
  auto runner = limits_runner();
  const Json figures = bench_limits(runner, {.repeats = 1});

  for (const Json& cell : figures["slow_source"]["cells"]) {
    EXPECT_EQ(cell["workers"], 1);
    EXPECT_DOUBLE_EQ(cell["seconds_per_batch"].get<double>(), 1024.0 / 900.0);
    EXPECT_EQ(cell["none"]["throughput_over_every_batch"], 1000.0 / 900.0);
    EXPECT_EQ(cell["none"]["throughput_over_full_wait"], 2.0);
  }
  for (const auto& [id, axes, config] : runner.cells) {
    const bool is_slow = config.data.seconds_per_batch > 0.0;
    EXPECT_EQ(config.batches, is_slow ? 12 : 30);
    EXPECT_DOUBLE_EQ(config.data.seconds_per_batch, is_slow ? 1024.0 / 900.0 : 0.0);
  }
}

TEST(BenchLimits, LeavesOutAPolicyThatFails) {
  auto runner = limits_runner([](const config::ExperimentConfig& config, Record& record) {
    const bool is_adaptive = config.sync.policy() == "adaptive";
    if (is_adaptive) record.status = Status::kFailed;
  });
  const Json figures = bench_limits(runner, {.repeats = 2, .only = "at_execution"});

  EXPECT_EQ(figures["cells"][0]["adaptive"], nullptr);
  EXPECT_EQ(figures["adaptive"]["throughput_over_none"], nullptr);
  EXPECT_EQ(figures["budget"]["throughput_over_none"], 0.9);
  EXPECT_THAT(limits_bench_table(figures), HasSubstr("on_device/2/at_execution"));
}

TEST(BenchLimits, LeavesOutACellWhosePeakIsNotTold) {
  auto runner = limits_runner([](const config::ExperimentConfig& config, Record& record) {
    if (config.acpu.workers == 2) record.memory.live_peak_bytes = std::nullopt;
  });
  const Json figures = bench_limits(runner, {.repeats = 1});

  EXPECT_EQ(figures["cells"].size(), kCells / 2);
}

TEST(BenchLimits, FailsIfNothingCanBeMeasuredAndStopsOnAnInterrupt) {
  const auto ending = [](Status status) {
    return limits_runner([status](const auto&, Record& record) { record.status = status; });
  };
  auto crashing = ending(Status::kCrashed);
  auto stopped = ending(Status::kInterrupted);

  EXPECT_THROW(static_cast<void>(bench_limits(crashing, {.repeats = 1})), Error);
  EXPECT_THROW(static_cast<void>(bench_limits(stopped, {.repeats = 1})), InterruptedError);
}

TEST(BenchLimits, ShowsTheFiguresAsTables) {
  auto runner = limits_runner();
  const Json figures = bench_limits(runner, {.repeats = 1, .only = "on_host/1/at_execution"});
  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/bench_limits.txt", limits_bench_table(figures));
}

}  // namespace
}  // namespace runahead::apps
