#include "core/memory/slow_lane.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/memory/fakes.h"

namespace runahead::memory {
namespace {

using std::chrono::seconds;
using test::FakeProbe;
using test::ManualTicker;
using test::ManualTime;

std::vector<std::unique_ptr<Probe>> counting_probe(std::atomic<std::uint64_t>& count) {
  std::vector<std::unique_ptr<Probe>> probes;
  probes.push_back(std::make_unique<FakeProbe>(std::vector<Column>{"count", "never"},
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
  probes.push_back(std::make_unique<FakeProbe>(
      std::vector<Column>{"cheap"},
      [&cheap](std::span<Reading> readings) { readings[0] = ++cheap; }));
  probes.push_back(std::make_unique<FakeProbe>(
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
