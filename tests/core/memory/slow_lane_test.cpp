#include <gtest/gtest.h>

#include <algorithm>
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

#include "core/memory/fakes.h"
#include "core/memory/jitter_histogram.h"
#include "core/memory/slow_lane.h"
#include "core/memory/ticker.h"

namespace runahead::memory {
namespace {

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

}  // namespace
}  // namespace runahead::memory
