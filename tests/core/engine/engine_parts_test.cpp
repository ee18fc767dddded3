#include <gtest/gtest.h>

#include <chrono>

#include "core/engine/push_times.h"
#include "core/engine/worker_throttle.h"

// How long operations have been in flight, and which of two workers stands back.
namespace runahead::engine::test {
namespace {

using std::chrono::milliseconds;

TEST(PushTimes, AreWithinOnePercentWithoutGrowingUntilTheirOperationsHaveFinished) {
  PushTimes times;
  const TimePoint start{};
  constexpr int kTicks = 100'000;
  EXPECT_FALSE(times.of(1).has_value());
  for (int i = 0; i < kTicks; ++i) {
    const TimePoint tick = start + milliseconds(4 * i);
    times.note(static_cast<std::uint64_t>(2 * i + 1), 1, tick);
    times.note(static_cast<std::uint64_t>(2 * i + 2), 1, tick);
  }
  EXPECT_EQ(times.of(1), start);
  EXPECT_EQ(times.of(2), start);
  for (int i = 0; i < kTicks; i += 997) {
    const auto pushed_at = times.of(static_cast<std::uint64_t>(2 * i + 1));
    const TimePoint exact = start + milliseconds(4 * i);
    ASSERT_TRUE(pushed_at.has_value());
    EXPECT_LE(*pushed_at, exact);
    EXPECT_LE(seconds_between(*pushed_at, exact), 0.01 * 0.004 * kTicks);
  }
  times.note(2 * kTicks + 1, 2 * kTicks, start + milliseconds(4 * kTicks));
  EXPECT_FALSE(times.of(1).has_value()) << "it has finished";
  EXPECT_TRUE(times.of(2 * kTicks).has_value());
}

TEST(WorkerThrottle, OfTwoWithShortBodiesTheSecondStandsBack) {
  WorkerThrottle throttle;
  WorkerThrottle::Account first;
  WorkerThrottle::Account second;
  bool has_second_left = false;
  // Timing a body may fail by chance on a busy machine: then the next round decides.
  for (int i = 0; i < 1000 && !has_second_left; ++i) {
    ASSERT_FALSE(throttle.take(first, 0));
    WorkerThrottle::run(first, [] {});
    has_second_left = throttle.take(second, 1);
    if (!has_second_left) WorkerThrottle::run(second, [] {});
  }
  EXPECT_TRUE(has_second_left);
  EXPECT_EQ(throttle.last_worker(), 0);
}

TEST(WorkerThrottle, AreQuickByTheirAverageSinceTheLastLook) {
  WorkerThrottle throttle;
  WorkerThrottle::Account account;
  const TimePoint start = Clock::now() + WorkerThrottle::kWatchTime;
  static_cast<void>(throttle.are_quick(start));
  for (int i = 0; i < 100; ++i) static_cast<void>(throttle.take(account, 0));

  EXPECT_TRUE(throttle.are_quick(start + 99 * WorkerThrottle::kLongTurn));
  EXPECT_TRUE(throttle.are_quick(start + 99 * WorkerThrottle::kLongTurn + TimePoint::duration(1)))
      << "it is not judged again before the watch time is over";
  for (int i = 0; i < 100; ++i) static_cast<void>(throttle.take(account, 0));
  EXPECT_FALSE(throttle.are_quick(start + (99 + 100) * WorkerThrottle::kLongTurn));
}

}  // namespace
}  // namespace runahead::engine::test
