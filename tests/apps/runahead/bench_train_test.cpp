#include "apps/runahead/bench_train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "support/golden.h"
#include "support/recorded_runner.h"

namespace runahead::apps {
namespace {

using record::Record;
using record::Status;

/// cpu processes 1000 examples a second, acpu 900, unless `change` overrides that.
test::RecordedRunner train_runner(const std::function<void(Record&)>& change = {}) {
  return test::RecordedRunner([change](const sweep::Cell& cell, const sweep::CellJob& job) {
    Record record = record::make_record(cell.config, job.repeat, cell.axes);
    record.time.examples_per_second = cell.config.device == "cpu" ? 1000.0 : 900.0;
    record.time.total_seconds = 2.0;
    record.time.cpu_seconds = 2.0;
    if (change) change(record);
    return record;
  });
}

constexpr std::size_t kCasesOfARound = 5;
constexpr std::size_t kGroups = 4;

TEST(BenchTrain, TakesMediansAndRatios) {
  auto runner = train_runner();
  const Json figures = bench_train(runner, {.repeats = 3});

  EXPECT_EQ(runner.cells.size(), 3 * kCasesOfARound * kGroups);
  EXPECT_EQ(figures["mlp"]["cpu"]["examples_per_second"], 1000.0);
  EXPECT_EQ(figures["mlp"]["cpu"]["examples_per_second_min"], 1000.0);
  EXPECT_EQ(figures["small"]["acpu"]["none"]["examples_per_second_max"], 900.0);
  EXPECT_EQ(figures["slow_source"]["mlp"]["acpu"]["every_batch_over_cpu"], 0.9);
  EXPECT_DOUBLE_EQ(figures["slow_source"]["mlp"]["seconds_per_batch"].get<double>(), 1.024);
  const sweep::Cell& slowest = *std::ranges::max_element(
      runner.cells, {}, [](const auto& cell) { return cell.config.data.seconds_per_batch; });
  EXPECT_DOUBLE_EQ(slowest.config.data.seconds_per_batch, 1.024);
}

TEST(BenchTrain, RepeatsARoundThatSharedTheCpu) {
  auto runner = train_runner([run = 0](Record& record) mutable {
    if (++run == 2) record.time.cpu_seconds = 1.0;
  });
  static_cast<void>(bench_train(runner, {.repeats = 1}));

  EXPECT_EQ(runner.cells.size(), kCasesOfARound * (kGroups + 1));
}

TEST(BenchTrain, LeavesOutACaseThatFails) {
  auto runner = train_runner([](Record& record) {
    if (record.config["sync"]["policy"] == "window") record.status = Status::kFailed;
  });
  const Json figures = bench_train(runner, {.repeats = 2});

  EXPECT_EQ(figures["mlp"]["acpu"]["window2"], nullptr);
  EXPECT_EQ(figures["mlp"]["acpu"]["window2_over_cpu"], nullptr);
  EXPECT_EQ(figures["mlp"]["acpu"]["none_over_cpu"], 0.9);
  EXPECT_THAT(train_bench_table(figures), ::testing::HasSubstr("acpu window2"));
}

TEST(BenchTrain, FailsIfNothingCanBeMeasuredAndStopsOnAnInterrupt) {
  auto crashing = train_runner([](Record& record) { record.status = Status::kCrashed; });
  auto stopped = train_runner([](Record& record) { record.status = Status::kInterrupted; });

  EXPECT_THROW(static_cast<void>(bench_train(crashing, {.repeats = 1})), Error);
  EXPECT_THROW(static_cast<void>(bench_train(stopped, {.repeats = 1})), InterruptedError);
}

TEST(BenchTrain, ShowsEveryModelInItsTable) {
  auto runner = train_runner();
  const Json figures = bench_train(runner, {.repeats = 1});
  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/bench_train.txt", train_bench_table(figures));
}

}  // namespace
}  // namespace runahead::apps
