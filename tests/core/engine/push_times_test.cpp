#include "core/engine/push_times.h"

#include <gtest/gtest.h>

#include <chrono>

namespace runahead::engine::test {
namespace {

using std::chrono::milliseconds;

TEST(PushTimes, KnowsTheTickOfEachOperation) {
  PushTimes times;
  const TimePoint start{};
  times.note(1, 1, start);
  times.note(2, 1, start);
  times.note(3, 1, start + milliseconds(4));
  times.note(4, 1, start + milliseconds(12));

  EXPECT_EQ(times.of(1), start);
  EXPECT_EQ(times.of(2), start);
  EXPECT_EQ(times.of(3), start + milliseconds(4));
  EXPECT_EQ(times.of(4), start + milliseconds(12));
}

TEST(PushTimes, KnowsNothingBeforeTheFirst) { EXPECT_FALSE(PushTimes().of(1).has_value()); }

TEST(PushTimes, KeepsTheOldestInFlightAndForgetsWhatFinished) {
  PushTimes times;
  const TimePoint start{};
  for (int i = 0; i < 10; ++i) {
    times.note(static_cast<std::uint64_t>(i + 1), 5, start + milliseconds(4 * i));
  }

  EXPECT_FALSE(times.of(4).has_value());
  EXPECT_EQ(times.of(5), start + milliseconds(16));
}

TEST(PushTimes, StaysWithinOnePercentWithoutGrowing) {
  PushTimes times;
  const TimePoint start{};
  constexpr int kTicks = 100'000;
  for (int i = 0; i < kTicks; ++i) {
    times.note(static_cast<std::uint64_t>(i + 1), 1, start + milliseconds(4 * i));
  }

  EXPECT_EQ(times.of(1), start);
  for (int i = 0; i < kTicks; i += 997) {
    const auto pushed_at = times.of(static_cast<std::uint64_t>(i + 1));
    const TimePoint exact = start + milliseconds(4 * i);
    ASSERT_TRUE(pushed_at.has_value());
    EXPECT_LE(*pushed_at, exact);
    EXPECT_LE(seconds_between(*pushed_at, exact), 0.01 * 0.004 * kTicks);
  }
}

TEST(PushTimes, TheCoarseClockIsOnTheScaleOfTheClock) {
  const TimePoint before = Clock::now();
  const TimePoint coarse = coarse_now();

  EXPECT_LE(coarse, Clock::now());
  EXPECT_LE(seconds_between(coarse, before), 1.0);
}

}  // namespace
}  // namespace runahead::engine::test
