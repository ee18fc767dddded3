#include "apps/runahead/benchmarks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench_golden.h"
#include "core/base/error.h"
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

TEST(BenchTrain, FailsIfNothingCanBeMeasuredAndStopsOnAnInterrupt) {
  auto crashing = train_runner([](Record& record) { record.status = Status::kCrashed; });
  auto stopped = train_runner([](Record& record) { record.status = Status::kInterrupted; });

  EXPECT_THROW(static_cast<void>(bench_train(crashing, {.repeats = 1})), Error);
  EXPECT_THROW(static_cast<void>(bench_train(stopped, {.repeats = 1})), InterruptedError);
}

TEST(BenchTrain, HasTheFiguresOfEveryModelWithoutACaseThatFailsOrARoundThatSharedTheCpu) {
  auto runner = train_runner([run = 0](Record& record) mutable {
    if (++run == 2) record.time.cpu_seconds = 1.0;
    const bool is_small = record.config["data"]["batch_size"] == 64;
    if (is_small && record.config["sync"]["policy"] == "window") record.status = Status::kFailed;
  });
  const Json figures = bench_train(runner, {.repeats = 3});

  // Three rounds of five cases in four groups, and one again; two cases fail in the first.
  EXPECT_EQ(runner.cells.size(), 3U * 5 * 4 + 5 - 2 * 2);
  expect_bench_golden("bench_train", figures, train_bench_table(figures));
  const sweep::Cell& slowest = *std::ranges::max_element(
      runner.cells, {}, [](const auto& cell) { return cell.config.data.seconds_per_batch; });
  EXPECT_DOUBLE_EQ(slowest.config.data.seconds_per_batch, 1.024);
}

}  // namespace
}  // namespace runahead::apps
