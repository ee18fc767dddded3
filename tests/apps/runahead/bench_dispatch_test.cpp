#include "apps/runahead/benchmarks.h"

#include <gtest/gtest.h>

#include "bench_golden.h"

namespace runahead::apps {
namespace {

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

}  // namespace
}  // namespace runahead::apps
