#include "core/engine/worker_throttle.h"

#include <gtest/gtest.h>

namespace runahead::engine::test {
namespace {

void run_short_body(WorkerThrottle::Account& account) {
  WorkerThrottle::run(account, [] {});
}

void run_long_body(WorkerThrottle::Account& account) {
  WorkerThrottle::run(account, [] {
    const TimePoint end = Clock::now() + 2 * WorkerThrottle::kShortBody;
    while (Clock::now() < end) {
    }
  });
}

TEST(WorkerThrottle, AWorkerAloneNeverStandsBack) {
  WorkerThrottle throttle;
  WorkerThrottle::Account account;
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(throttle.take(account, 1));
    run_short_body(account);
  }
}

TEST(WorkerThrottle, WorkersWithLongBodiesTakeTurns) {
  WorkerThrottle throttle;
  WorkerThrottle::Account first;
  WorkerThrottle::Account second;
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(throttle.take(first, 0));
    run_long_body(first);
    ASSERT_FALSE(throttle.take(second, 1));
    run_long_body(second);
  }
}

TEST(WorkerThrottle, OfTwoWithShortBodiesTheSecondStandsBack) {
  WorkerThrottle throttle;
  WorkerThrottle::Account first;
  WorkerThrottle::Account second;
  bool has_second_left = false;
  // Timing a body may fail by chance on a busy machine: then the next round decides.
  for (int i = 0; i < 1000 && !has_second_left; ++i) {
    ASSERT_FALSE(throttle.take(first, 0));
    run_short_body(first);
    has_second_left = throttle.take(second, 1);
    if (!has_second_left) run_short_body(second);
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
  for (int i = 0; i < 100; ++i) static_cast<void>(throttle.take(account, 0));
  EXPECT_FALSE(throttle.are_quick(start + (99 + 100) * WorkerThrottle::kLongTurn));
}

TEST(WorkerThrottle, AreJudgedAnewOnlyAfterTheWatchTime) {
  WorkerThrottle throttle;
  WorkerThrottle::Account account;
  const TimePoint start = Clock::now() + WorkerThrottle::kWatchTime;
  static_cast<void>(throttle.are_quick(start));
  for (int i = 0; i < 100; ++i) static_cast<void>(throttle.take(account, 0));

  EXPECT_FALSE(throttle.are_quick(start + WorkerThrottle::kWatchTime / 2));
  EXPECT_TRUE(throttle.are_quick(start + WorkerThrottle::kWatchTime));
}

}  // namespace
}  // namespace runahead::engine::test
