#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "apps/runahead/benchmarks.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "support/golden.h"
#include "support/recorded_runner.h"

namespace runahead::apps {
namespace {

using record::Record;
using record::Status;

/// Expects the figures of a benchmark, and its table, to be what the golden file `name` holds.
void expect_bench_golden(const std::string& name, const Json& figures, const std::string& table) {
  std::string text = table + "\n";
  for (const auto& [key, value] : figures.items()) text += key + ": " + dump_json(value) + "\n";
  test::expect_golden(RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/" + name + ".txt", text);
}

/// A process in which cpu takes 2 µs an operation, and acpu 0.5 to issue it, 1 in all and 3 with a
/// wait; a step 100 µs, and 150 to issue.
Json fake_process(const std::string& device) {
  const bool is_cpu = device == "cpu";
  Json figures;
  for (const char* workload : {"plus_one", "chained", "inplace", "matmul64"}) {
    figures[workload] = {{"issue_us", is_cpu ? 2.0 : 0.5},
                         {"total_us", is_cpu ? 2.0 : 1.0},
                         {"waited_us", is_cpu ? 2.5 : 3.0}};
  }
  Json& step = figures["mlp_step"];
  step = {
      {"issue_us", is_cpu ? 100.0 : 150.0},         {"total_us", is_cpu ? 100.0 : 160.0},
      {"waited_us", is_cpu ? 100.0 : 200.0},        {"forward_issue_us", is_cpu ? 40.0 : 20.0},
      {"backward_issue_us", is_cpu ? 50.0 : 126.0}, {"optimizer_issue_us", is_cpu ? 10.0 : 4.0}};
  if (!is_cpu) {
    step["hop_us"] = 70.0;
    step["forward_operations"] = 6;
    step["backward_operations"] = 9;
    step["optimizer_operations"] = 4;
  }
  return {{"cpu_share", 0.99}, {"cpu_round_trip_ns", 54.0}, {"figures", figures}};
}

TEST(BenchDispatch, HasTheFiguresOfEveryWorkloadOfRoundsThatDidNotShareTheCpu) {
  int processes = 0;
  const auto measure = [&processes](const std::string& device) {
    Json process = fake_process(device);
    if (++processes == 2) process["cpu_share"] = 0.5;
    return process;
  };
  const Json figures = bench_dispatch(measure, {.repeats = 2});

  EXPECT_EQ(processes, 2 * (2 + 1));
  expect_bench_golden("bench_dispatch", figures, dispatch_bench_table(figures));
}

using RunChange = std::function<void(const config::ExperimentConfig&, Record&)>;

/// `none` makes 1000 examples a second and peaks at 400 bytes with 200 of growth, the others make
/// 900 (500 with a full wait), peak at 100 and grow by 50. Of 2 workers everything peaks at the
/// double. And what a test changes about that.
test::RecordedRunner limits_runner(const RunChange& change = {}) {
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

// The tables of benchmarks whose figures differ from run to run.

TEST(BenchTables, ShowTheFiguresOfEveryBenchmark) {
  const std::string golden = RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/bench_";
  const std::pair<const char*, std::string (*)(const Json&)> tables[] = {
      {"engine", engine_bench_table},
      {"monitor", monitor_bench_table},
      {"sweep", sweep_bench_table}};
  for (const auto& [name, table] : tables) {
    test::expect_golden(golden + name + ".txt", table(read_json_file(golden + name + ".json")));
  }
}

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

Json figures_of(double gb_per_second, double issue_us) {
  return {{"gb_per_second", gb_per_second}, {"issue_us", issue_us}};
}

/// A process in which pinned memory is four times as fast, and a call that does not wait for it
/// takes a tenth of one that does.
Json fake_process(double cpu_share) {
  Json sizes = Json::array();
  for (const std::int64_t bytes : {std::int64_t{4096}, std::int64_t{256} << 20}) {
    sizes.push_back({{"bytes", bytes},
                     {"copies", 4},
                     {"pageable_blocking", figures_of(5.0, 80.0)},
                     {"pageable_non_blocking", figures_of(6.0, 70.0)},
                     {"pinned_blocking", figures_of(20.0, 20.0)},
                     {"pinned_non_blocking", figures_of(24.0, 2.0)}});
  }
  return {{"cpu_share", cpu_share}, {"sizes", sizes}};
}

TEST(BenchTransfer, HasTheFiguresOfEachSizeAndWayOfRoundsThatDidNotShareTheCpu) {
  int processes = 0;
  const auto measure = [&processes] { return fake_process(++processes == 1 ? 0.5 : 1.0); };
  const Json figures = bench_transfer(measure, {.repeats = 2});

  EXPECT_EQ(processes, 3);
  expect_bench_golden("bench_transfer", figures, transfer_bench_table(figures));
}

TEST(Benchmarks, FailIfNothingCanBeMeasuredAndStopOnAnInterrupt) {
  const auto ending = [](Status status) {
    return train_runner([status](Record& record) { record.status = status; });
  };
  auto crashing = ending(Status::kCrashed);
  auto stopped = ending(Status::kInterrupted);
  EXPECT_THROW(static_cast<void>(bench_train(crashing, {.repeats = 1})), Error);
  EXPECT_THROW(static_cast<void>(bench_train(stopped, {.repeats = 1})), InterruptedError);
  EXPECT_THROW(static_cast<void>(bench_limits(crashing, {.repeats = 1})), Error);
  EXPECT_THROW(static_cast<void>(bench_limits(stopped, {.repeats = 1})), InterruptedError);
}

}  // namespace
}  // namespace runahead::apps
