#include "apps/runahead/benchmarks.h"

#include <gtest/gtest.h>

#include "bench_golden.h"
#include "core/base/error.h"
#include "support/recorded_runner.h"

namespace runahead::apps {
namespace {

using record::Record;
using record::Status;

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

TEST(BenchLimits, LearnsBudgetsFromAWaitPerBatchAndSlowsSourcesByTheTimeOfAStep) {
  auto runner = limits_runner();
  static_cast<void>(bench_limits(runner, {.repeats = 1}));

  for (const auto& [id, axes, config] : runner.cells) {
    const bool is_slow = config.data.seconds_per_batch > 0.0;
    EXPECT_EQ(config.batches, is_slow ? 12 : 30);
    EXPECT_DOUBLE_EQ(config.data.seconds_per_batch, is_slow ? 1024.0 / 900.0 : 0.0);
    if (config.sync.policy() != "budget") {
      EXPECT_EQ(config.acpu.limit.kind, config::LimitConfig::Kind::kOff);
      continue;
    }
    EXPECT_EQ(config.sync->budget_bytes(),
              config.acpu.workers == 1 ? 99U : 288U);  // Of 90 and 180 live.
    EXPECT_EQ(config.acpu.limit.bytes, config.sync->budget_bytes());
  }
}

TEST(BenchLimits, LeavesOutACellWhosePeakIsNotTold) {
  auto runner = limits_runner([](const config::ExperimentConfig& config, Record& record) {
    if (config.acpu.workers == 2) record.memory.live_peak_bytes = std::nullopt;
  });
  const Json figures = bench_limits(runner, {.repeats = 1});

  EXPECT_EQ(figures["cells"].size(), 6U) << "of 12";
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

TEST(BenchLimits, HasTheFiguresOfEveryPolicyInEveryCellWithoutWhatFails) {
  auto runner = limits_runner([](const config::ExperimentConfig& config, Record& record) {
    const std::string policy = config.sync.policy();
    if (policy == "adaptive") record.status = Status::kFailed;
    if (policy == "none" && config.acpu.workers == 2) record.memory.rss_growth_bytes = 0;
    if (policy != "window" || config.acpu.workers != 2) return;
    record.time.examples_per_second = 400.0;
    record.memory.rss_growth_bytes = 150;
  });
  const Json figures = bench_limits(runner, {.repeats = 2, .only = "at_execution"});
  const Json some = {{"cell", figures["cells"][1]},
                     {"slow_source_cell", figures["slow_source"]["cells"][0]},
                     {"window2", figures["window2"]},
                     {"adaptive", figures["adaptive"]}};
  expect_bench_golden("bench_limits", some, limits_bench_table(figures));
}

}  // namespace
}  // namespace runahead::apps
