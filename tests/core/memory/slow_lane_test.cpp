#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/statistics.h"
#include "core/memory/fakes.h"
#include "core/memory/jitter_histogram.h"
#include "core/memory/slow_lane.h"
#include "core/memory/ticker.h"

namespace runahead::memory {
namespace {

using std::chrono::seconds;
using test::ManualTicker;
using test::ManualTime;

TEST(SteadyTicker, EndsALongWaitWhenAStopIsRequested) {
  const auto ticker = make_steady_ticker();
  std::jthread waiter([&](const std::stop_token& stop) {
    ticker->wait_until(ticker->now() + std::chrono::hours(1), stop);
  });
  waiter.request_stop();
  waiter.join();  // Or the test runs into its time limit.
}

TEST(JitterHistogram, AnswersWithinASixteenth) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> durations(-10.0, 2.0);
  JitterHistogram histogram;
  EXPECT_EQ(histogram.percentile(99.0), std::nullopt);
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(durations(random));
    histogram.add(values.back());
  }
  for (const double percent : {1.0, 50.0, 90.0, 99.0, 100.0}) {
    const double exact = percentile(values, percent);
    EXPECT_NEAR(*histogram.percentile(percent), exact, exact / 14) << percent;
  }
}

TEST(JitterHistogram, TakesEveryDuration) {
  for (const double duration : {-1.0, 0.0, 1e-9, 15e-9, 16e-9, 17e-9, 31e-9, 32e-9, 1.0, 86400.0}) {
    JitterHistogram histogram;
    histogram.add(duration);
    const double expected = duration < 0.0 ? 0.0 : duration;
    EXPECT_NEAR(*histogram.percentile(50.0), expected, expected / 16 + 1e-10) << duration;
  }
  JitterHistogram histogram;
  histogram.add(1e30);
  EXPECT_GT(*histogram.percentile(50.0), 8e9);
}

std::vector<std::unique_ptr<Probe>> counting_probe(std::atomic<std::uint64_t>& count) {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(std::make_unique<FunctionProbe>(std::vector<Column>{"count", "never"},
                                                   [&count](std::span<Reading> readings) {
                                                     readings[0] = ++count;
                                                     readings[1] = std::nullopt;
                                                   }));
  return probes;
}

TEST(SlowLanePause, KeepsTheShareOfACoreAndIsAtLeastTenMilliseconds) {
  EXPECT_DOUBLE_EQ(slow_lane_pause_seconds(0.022, 0.01), 2.2);
  EXPECT_DOUBLE_EQ(slow_lane_pause_seconds(0.1, 0.5), 0.2);
  EXPECT_DOUBLE_EQ(slow_lane_pause_seconds(0.00005, 0.01), 0.01);
}

TEST(SlowLane, HandsEachReadingOnOnce) {
  ManualTime time;
  std::atomic<std::uint64_t> count = 0;
  SlowLane lane(counting_probe(count), 0.01, std::make_unique<ManualTicker>(time));
  EXPECT_EQ(names_of(lane.columns()), (std::vector<std::string>{"count", "never"}));
  (void)time.deadline();  // The first reading is stored.

  std::array<Reading, 2> readings{5, 5};
  lane.read(readings);
  EXPECT_EQ(readings[0], 1U);
  EXPECT_EQ(readings[1], std::nullopt);
  lane.read(readings);
  EXPECT_EQ(readings[0], std::nullopt);

  ASSERT_TRUE(time.advance(seconds(100)));
  lane.read(readings);
  EXPECT_EQ(readings[0], 2U);
}

TEST(SlowLane, CanBeReadWhileItReads) {
  std::atomic<std::uint64_t> count = 0;
  SlowLane lane(counting_probe(count), 1.0);
  const auto give_up = Clock::now() + ManualTime::kPatience;
  std::uint64_t last = 0;
  while (last < 5 && Clock::now() < give_up) {
    std::array<Reading, 2> readings{};
    lane.read(readings);
    if (!readings[0]) continue;
    ASSERT_GT(*readings[0], last);
    last = *readings[0];
  }
  EXPECT_GE(last, 5U);
}

TEST(SlowLane, RefusesSharesOutOfRange) {
  EXPECT_THROW(SlowLane({}, 0.0), UsageError);
  EXPECT_THROW(SlowLane({}, 1.5), UsageError);
}

TEST(SlowLane, ADearProbeDoesNotHoldUpACheapOne) {
  ManualTime time;
  std::atomic<std::uint64_t> cheap = 0;
  std::atomic<std::uint64_t> dear = 0;
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(std::make_unique<FunctionProbe>(
      std::vector<Column>{"cheap"},
      [&cheap](std::span<Reading> readings) { readings[0] = ++cheap; }));
  probes.push_back(std::make_unique<FunctionProbe>(
      std::vector<Column>{"dear"}, [&dear](std::span<Reading> readings) {
        const double begun = thread_cpu_seconds();
        while (thread_cpu_seconds() - begun < 0.05) {  // Of half a core: every 100 ms at most.
        }
        readings[0] = ++dear;
      }));
  SlowLane lane(std::move(probes), 1.0, std::make_unique<ManualTicker>(time));

  // Until the cheap one is due for the tenth time: it takes far less CPU time than 5 ms.
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(time.advance(std::chrono::milliseconds(10)));

  EXPECT_EQ(cheap, 10U);
  EXPECT_EQ(dear, 1U);
  std::array<Reading, 2> readings{};
  lane.read(readings);
  EXPECT_EQ(readings[0], 10U);
  EXPECT_EQ(readings[1], 1U);
  lane.read(readings);
  EXPECT_EQ(readings[1], std::nullopt) << "handed on before";
}

TEST(SlowLane, SaysWhatItsThreadTook) {
  ManualTime time;
  std::atomic<std::uint64_t> count = 0;
  const SlowLane lane(counting_probe(count), 0.01, std::make_unique<ManualTicker>(time));
  (void)time.deadline();  // It has read once, and waits.
  EXPECT_GT(lane.own_cpu_seconds(), 0.0);
}

TEST(SlowLane, OfAnExperimentReadsWhatIsDear) {
  EXPECT_EQ(names_of(make_slow_lane()->columns()),
            (std::vector<std::string>{"pss_bytes", "uss_bytes", "rss_high_water_bytes",
                                      "minor_faults", "major_faults", "heap_in_use_bytes",
                                      "heap_free_bytes", "cgroup_bytes", "cgroup_peak_bytes",
                                      "cgroup_limit_bytes", "memory_stall_microseconds"}));
}

}  // namespace
}  // namespace runahead::memory
