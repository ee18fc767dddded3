#include "core/engine/turns.h"

#include <gtest/gtest.h>

namespace runahead::engine::test {
namespace {

void run_short_body(Turns::Account& account) {
  Turns::run(account, [] {});
}

void run_long_body(Turns::Account& account) {
  Turns::run(account, [] {
    const TimePoint end = Clock::now() + 2 * Turns::kShortBody;
    while (Clock::now() < end) {
    }
  });
}

TEST(Turns, AWorkerAloneNeverStandsBack) {
  Turns turns;
  Turns::Account account;
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(turns.take(account, 1));
    run_short_body(account);
  }
}

TEST(Turns, WorkersWithLongBodiesTakeTurns) {
  Turns turns;
  Turns::Account first;
  Turns::Account second;
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(turns.take(first, 0));
    run_long_body(first);
    ASSERT_FALSE(turns.take(second, 1));
    run_long_body(second);
  }
}

TEST(Turns, OfTwoWithShortBodiesTheSecondStandsBack) {
  Turns turns;
  Turns::Account first;
  Turns::Account second;
  bool has_second_left = false;
  // Timing a body may fail by chance on a busy machine: then the next round decides.
  for (int i = 0; i < 1000 && !has_second_left; ++i) {
    ASSERT_FALSE(turns.take(first, 0));
    run_short_body(first);
    has_second_left = turns.take(second, 1);
    if (!has_second_left) run_short_body(second);
  }
  EXPECT_TRUE(has_second_left);
  EXPECT_EQ(turns.last_worker(), 0);
}

TEST(Turns, AreQuickByTheirAverageSinceTheLastLook) {
  Turns turns;
  Turns::Account account;
  const TimePoint start = Clock::now() + Turns::kWatchTime;
  static_cast<void>(turns.are_quick(start));
  for (int i = 0; i < 100; ++i) static_cast<void>(turns.take(account, 0));

  EXPECT_TRUE(turns.are_quick(start + 99 * Turns::kLongTurn));
  for (int i = 0; i < 100; ++i) static_cast<void>(turns.take(account, 0));
  EXPECT_FALSE(turns.are_quick(start + (99 + 100) * Turns::kLongTurn));
}

TEST(Turns, AreJudgedAnewOnlyAfterTheWatchTime) {
  Turns turns;
  Turns::Account account;
  const TimePoint start = Clock::now() + Turns::kWatchTime;
  static_cast<void>(turns.are_quick(start));
  for (int i = 0; i < 100; ++i) static_cast<void>(turns.take(account, 0));

  EXPECT_FALSE(turns.are_quick(start + Turns::kWatchTime / 2));
  EXPECT_TRUE(turns.are_quick(start + Turns::kWatchTime));
}

}  // namespace
}  // namespace runahead::engine::test
