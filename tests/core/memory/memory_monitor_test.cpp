#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/affinity.h"
#include "core/memory/fakes.h"
#include "core/memory/jitter_histogram.h"
#include "core/memory/memory_monitor.h"
#include "core/memory/slow_lane.h"
#include "core/memory/ticker.h"

namespace runahead::memory {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::ManualTicker;
using test::ManualTime;

std::vector<std::unique_ptr<Probe>> one_probe(std::vector<Column> columns,
                                              std::function<void(std::span<Reading>)> answer) {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(std::make_unique<FunctionProbe>(std::move(columns), std::move(answer)));
  return probes;
}

/// A monitor of one column that counts its readings from 1, at 1 kHz of a clock that the test
/// moves.
class MemoryMonitorTest : public testing::Test {
 protected:
  ManualTime time_{};
  std::uint64_t readings_taken_ = 0;
  MemoryMonitor monitor_{
      {.rate_hz = 1000.0, .max_rows = 1000},
      one_probe({"count"},
                [this](std::span<Reading> readings) { readings[0] = ++readings_taken_; }),
      std::make_unique<ManualTicker>(time_)};

  std::vector<std::pair<double, Reading>> rows(TimePoint origin) {
    std::vector<std::pair<double, Reading>> rows;
    monitor_.series().for_each([&](TimePoint time, std::span<const Reading> readings) {
      rows.emplace_back(seconds_between(origin, time), readings[0]);
    });
    return rows;
  }
};

TEST_F(MemoryMonitorTest, SamplesAtStartAtEveryTickAndAtStop) {
  const TimePoint origin = time_.now();
  monitor_.start();
  ASSERT_TRUE(time_.advance(milliseconds(1)));
  ASSERT_TRUE(time_.advance(milliseconds(1)));
  ASSERT_TRUE(time_.advance(microseconds(500)));
  monitor_.stop();

  const auto taken = rows(origin);
  ASSERT_EQ(taken.size(), 4U);
  EXPECT_EQ(taken[0], std::pair(0.0, Reading(1)));
  EXPECT_EQ(taken[1], std::pair(0.001, Reading(2)));
  EXPECT_EQ(taken[2], std::pair(0.002, Reading(3)));
  EXPECT_EQ(taken[3], std::pair(0.0025, Reading(4)));
  EXPECT_EQ(monitor_.stats().samples, 4U);
  EXPECT_EQ(monitor_.stats().missed, 0U);
}

TEST_F(MemoryMonitorTest, CountsTicksThatPassedAndKeepsTheBeat) {
  const TimePoint origin = time_.now();
  monitor_.start();
  ASSERT_TRUE(time_.advance(microseconds(4300)));  // Ticks 2, 3 and 4 are gone.

  EXPECT_EQ(time_.deadline(), origin + milliseconds(5));
  monitor_.stop();
  EXPECT_EQ(monitor_.stats().missed, 3U);
  EXPECT_EQ(monitor_.stats().samples, 3U);
  EXPECT_NEAR(*monitor_.stats().jitter_p99_seconds, 0.0033, 0.0033 / 16) << "behind the deadline";
}

TEST_F(MemoryMonitorTest, LatestIsTheNewestSample) {
  EXPECT_FALSE(monitor_.latest().has_value());
  EXPECT_EQ(monitor_.latest("count"), std::nullopt);
  monitor_.start();
  EXPECT_EQ(monitor_.latest("count"), 1U);
  ASSERT_TRUE(time_.advance(milliseconds(1)));
  EXPECT_EQ(monitor_.latest("count"), 2U);
  EXPECT_EQ(monitor_.latest()->time, time_.now());
  EXPECT_EQ(monitor_.latest("other"), std::nullopt);
}

TEST(MemoryMonitor, JoinsColumnsInTheOrderOfProbesAndKeepsNulls) {
  ManualTime time;
  std::vector<std::unique_ptr<Probe>> probes = one_probe({"a", "b"}, [](std::span<Reading> r) {
    r[0] = 1;
    r[1] = std::nullopt;
  });
  probes.push_back(std::move(one_probe({"c"}, [](std::span<Reading> r) { r[0] = 3; }).front()));
  MemoryMonitor monitor({}, std::move(probes), std::make_unique<ManualTicker>(time));

  monitor.start();
  monitor.stop();

  EXPECT_EQ(monitor.columns(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(monitor.latest()->readings, (std::vector<Reading>{1, std::nullopt, 3}));
  EXPECT_EQ(monitor.series().peak("b"), std::nullopt);
  EXPECT_EQ(monitor.series().peak("c"), 3U);
}

TEST(MemoryMonitor, SamplesInRealTimeWhileOthersReadTheLatest) {
  std::atomic<std::uint64_t> level = 0;
  MemoryMonitor monitor({.rate_hz = 10'000.0},
                        one_probe({"level"}, [&](std::span<Reading> r) { r[0] = level.load(); }));
  monitor.start();
  std::vector<std::jthread> readers;
  readers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const auto latest = monitor.latest();
        ASSERT_TRUE(latest.has_value());
        ASSERT_LE(latest->readings[0], 7U);
      }
    });
  }

  const auto give_up = Clock::now() + ManualTime::kPatience;
  level = 7;
  while (monitor.latest("level") != Reading(7) && Clock::now() < give_up) std::this_thread::yield();
  level = 2;
  while (monitor.latest("level") != Reading(2) && Clock::now() < give_up) std::this_thread::yield();
  readers.clear();
  monitor.stop();

  EXPECT_EQ(monitor.series().peak("level"), 7U);
  EXPECT_GT(monitor.stats().cpu_seconds, 0.0);
}

TEST(MemoryMonitor, RunsOnTheCpusItIsGiven) {
  const int cpu = allowed_cpus().back();
  std::vector<int> seen;
  MemoryMonitor monitor({.cpus = {cpu}}, one_probe({"a"}, [&](std::span<Reading> r) {
                          seen = allowed_cpus();
                          r[0] = 1;
                        }));
  monitor.start();
  monitor.stop();
  EXPECT_EQ(seen, std::vector{cpu});
}

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
  std::ranges::sort(values);
  for (const unsigned percent : {1U, 50U, 90U, 99U, 100U}) {
    const double exact = values[(values.size() - 1) * percent / 100];
    EXPECT_NEAR(*histogram.percentile(percent), exact, exact / 14) << percent;
  }
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

/// A clock of its own, on which a sample takes as long as the test says.
class CostlyTime final : public Ticker {
 public:
  TimePoint now() noexcept override { return now_; }
  void wait_until(TimePoint deadline, const std::stop_token& /*stop*/) noexcept override {
    now_ = std::max(now_, deadline);
  }
  void pass(Clock::duration time) { now_ += time; }

 private:
  TimePoint now_ = TimePoint(std::chrono::seconds(1000));
};

TEST(MemoryMonitor, TakesPrecedenceWhileItsSamplesAreCheap) {
  constexpr int kReadings = 3000;
  for (const microseconds cost : {microseconds(50), microseconds(200)}) {
    auto time = std::make_unique<CostlyTime>();
    CostlyTime& clock = *time;
    int policy_before = -1;
    int policy_after = -1;
    int readings = 0;
    std::latch done{1};
    sched_param ignored{};
    MemoryMonitor monitor({.rate_hz = 1000.0},
                          one_probe({"a"},
                                    [&](std::span<Reading>) {
                                      clock.pass(cost);
                                      ++readings;
                                      int& policy = readings == 1 ? policy_before : policy_after;
                                      pthread_getschedparam(pthread_self(), &policy, &ignored);
                                      if (readings == kReadings) done.count_down();
                                    }),
                          std::move(time));
    monitor.start();
    done.wait();
    monitor.stop();
    if (policy_before != SCHED_RR) GTEST_SKIP() << "not granted here";
    EXPECT_EQ(policy_after, cost.count() < 100 ? SCHED_RR : SCHED_OTHER);
  }
}

}  // namespace
}  // namespace runahead::memory
