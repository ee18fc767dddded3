#include "apps/runahead/bench_train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/golden.h"

namespace runahead::apps {
namespace {

using record::Record;
using record::Status;

/// Runs nothing: cpu processes 1000 examples a second, acpu 900, unless `change` overrides that.
class FakeTrainRunner final : public sweep::CellRunner {
 public:
  void start(const sweep::Cell& cell, const sweep::CellJob& job) override {
    result_ = {job, record::make_record(cell.config, job.repeat, cell.axes)};
    Record& record = result_.record;
    record.time.examples_per_second = cell.config.device == "cpu" ? 1000.0 : 900.0;
    record.time.total_seconds = 2.0;
    record.time.cpu_seconds = 2.0;
    slowest_source_seconds = std::max(slowest_source_seconds, cell.config.data.seconds_per_batch);
    ++started;
    if (change) change(started, record);
  }
  sweep::CellResult wait_any() override { return result_; }
  bool interrupted() override { return false; }

  std::function<void(int, Record&)> change{};
  int started = 0;
  double slowest_source_seconds = 0.0;

 private:
  sweep::CellResult result_{};
};

constexpr int kCasesOfARound = 5;
constexpr int kGroups = 4;

TEST(BenchTrain, TakesMediansAndRatios) {
  FakeTrainRunner runner;
  const Json figures = bench_train(runner, {.repeats = 3});

  EXPECT_EQ(runner.started, 3 * kCasesOfARound * kGroups);
  EXPECT_EQ(figures["mlp"]["cpu"]["examples_per_second"], 1000.0);
  EXPECT_EQ(figures["mlp"]["cpu"]["examples_per_second_min"], 1000.0);
  EXPECT_EQ(figures["small"]["acpu"]["none"]["examples_per_second_max"], 900.0);
  EXPECT_EQ(figures["slow_source"]["mlp"]["acpu"]["every_batch_over_cpu"], 0.9);
  EXPECT_DOUBLE_EQ(figures["slow_source"]["mlp"]["seconds_per_batch"].get<double>(), 1.024);
  EXPECT_DOUBLE_EQ(runner.slowest_source_seconds, 1.024);
}

TEST(BenchTrain, RepeatsARoundThatSharedTheCpu) {
  FakeTrainRunner runner;
  runner.change = [](int started, Record& record) {
    if (started == 2) record.time.cpu_seconds = 1.0;
  };
  static_cast<void>(bench_train(runner, {.repeats = 1}));

  EXPECT_EQ(runner.started, kCasesOfARound * (kGroups + 1));
}

TEST(BenchTrain, RepeatsABoundedNumberOfRounds) {
  FakeTrainRunner runner;
  runner.change = [](int, Record& record) { record.time.cpu_seconds = 0.1; };
  static_cast<void>(bench_train(runner, {.repeats = 2}));

  EXPECT_LE(runner.started, 2 * 2 * kCasesOfARound * kGroups);
}

TEST(BenchTrain, LeavesOutACaseThatFails) {
  FakeTrainRunner runner;
  runner.change = [](int, Record& record) {
    if (record.config["sync"]["policy"] == "window") record.status = Status::kFailed;
  };
  const Json figures = bench_train(runner, {.repeats = 2});

  EXPECT_EQ(figures["mlp"]["acpu"]["window2"], nullptr);
  EXPECT_EQ(figures["mlp"]["acpu"]["window2_over_cpu"], nullptr);
  EXPECT_EQ(figures["mlp"]["acpu"]["none_over_cpu"], 0.9);
  EXPECT_THAT(train_bench_table(figures), ::testing::HasSubstr("acpu window2"));
}

TEST(BenchTrain, FailsIfNothingCanBeMeasuredAndStopsOnAnInterrupt) {
  FakeTrainRunner runner;
  runner.change = [](int, Record& record) { record.status = Status::kCrashed; };
  EXPECT_THROW(static_cast<void>(bench_train(runner, {.repeats = 1})), Error);
  runner.change = [](int, Record& record) { record.status = Status::kInterrupted; };

  EXPECT_THROW(static_cast<void>(bench_train(runner, {.repeats = 1})), InterruptedError);
}

TEST(BenchTrain, ShowsEveryModelInItsTable) {
  FakeTrainRunner runner;
  const Json figures = bench_train(runner, {.repeats = 1});
  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/bench_train.txt", train_bench_table(figures));
}

}  // namespace
}  // namespace runahead::apps
