#include "apps/runahead/benchmarks.h"

#include <gtest/gtest.h>

#include "apps/runahead/monitor_workload.h"

namespace runahead::apps {
namespace {

const MonitorBenchSizes kSmall{.work_seconds = 0.01, .peak_bytes = 2'000'000, .least_rounds = 3};

TEST(BenchMonitor, MeasuresCostsAndPeaks) {
  const Json figures = bench_monitor(kSmall, {.repeats = 2});

  for (const char* key : {"cpu_share_1000hz", "cpu_share_10000hz", "slowdown_1000hz"}) {
    EXPECT_GT(figures.at(key).get<double>(), 0.0) << key;
    EXPECT_LE(figures.at(std::string(key) + "_min"), figures.at(std::string(key) + "_max"));
  }
  EXPECT_GE(figures.at("missed_share").get<double>(), 0.0);
  EXPECT_EQ(figures.at("slowdown_1000hz_pairs"), 3);
  for (const char* shape : {"ramp", "plateau_5ms", "sawtooth"}) {
    EXPECT_TRUE(figures.at("peaks").at(shape).contains("peak_error")) << shape;
  }
  EXPECT_EQ(MonitorWorkload(0.001).measure(0.0).cpu_share, 0.0) << "no thread samples at rate 0";
}

TEST(MonitorWorkload, CountsAPeakThatIsThere) {
  const MonitorWorkload workload(0.001);
  const auto peak = workload.sample(MemoryShape::kSawtooth, 30'000'000);
  if (!peak) GTEST_SKIP() << "/proc/self/clear_refs may not be written here";

  EXPECT_GE(peak->counted_bytes, 30'000'000U);
  EXPECT_GT(peak->sampled_bytes, 0U);
}

}  // namespace
}  // namespace runahead::apps
