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
    ASSERT_FALSE(turns.take(account));
    run_short_body(account);
  }
}

TEST(Turns, WorkersWithLongBodiesTakeTurns) {
  Turns turns;
  Turns::Account first;
  Turns::Account second;
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(turns.take(first));
    run_long_body(first);
    ASSERT_FALSE(turns.take(second));
    run_long_body(second);
  }
}

TEST(Turns, OfTwoWithShortBodiesOnlyOneStandsBack) {
  Turns turns;
  Turns::Account first;
  Turns::Account second;
  bool has_first_left = false;
  bool has_second_left = false;
  // Timing a body may fail by chance on a busy machine: then the next round decides.
  for (int i = 0; i < 1000 && !has_first_left && !has_second_left; ++i) {
    has_first_left = turns.take(first);
    run_short_body(first);
    if (has_first_left) break;
    has_second_left = turns.take(second);
    run_short_body(second);
  }
  EXPECT_NE(has_first_left, has_second_left);

  Turns::Account& staying = has_first_left ? second : first;
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(turns.take(staying));
    run_short_body(staying);
  }
}

TEST(Turns, AreQuietWhenNobodyTookOneInBetween) {
  Turns turns;
  Turns::Account account;
  turns.take(account);
  EXPECT_FALSE(turns.are_quiet());
  EXPECT_TRUE(turns.are_quiet());
  turns.take(account);

  EXPECT_FALSE(turns.are_quiet());
}

}  // namespace
}  // namespace runahead::engine::test
