// A budget of the loop waits for as many of the oldest batches as its bytes ask for, and for no
// more: seen by a back end whose batches finish when the test says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "core/train/cpu_back_end.h"
#include "core/train/sync_policy.h"
#include "support/fake_back_end.h"

namespace runahead::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class BudgetPolicyTest : public ::testing::Test {
 protected:
  BudgetPolicy make(std::uint64_t bytes, BackEnd& back_end) {
    return {bytes, back_end, [this](const std::string& text) { notices_.push_back(text); }};
  }

  /// Of 1 GB each, whatever they keep.
  static void run_batches(SyncPolicy& policy, const std::vector<std::uint64_t>& kept_bytes) {
    for (const std::uint64_t bytes : kept_bytes) {
      policy.before_batch();
      policy.after_batch({.bytes = 1'000'000'000, .kept_bytes = bytes});
    }
  }

  test::FakeBackEnd back_end_{};
  std::vector<std::string> notices_{};
};

TEST_F(BudgetPolicyTest, WithinTheBudgetNothingIsWaitedFor) {
  BudgetPolicy policy = make(300, back_end_);

  run_batches(policy, {100, 100, 100});

  EXPECT_THAT(back_end_.waited_marks, IsEmpty());
  EXPECT_EQ(back_end_.marks_in_flight(), 3);
}

TEST_F(BudgetPolicyTest, BeyondItTheOldestAloneIsWaitedForAndNothingDrains) {
  BudgetPolicy policy = make(399, back_end_);

  run_batches(policy, {100, 100, 100, 100, 100});

  EXPECT_THAT(back_end_.waited_marks, ElementsAre(0, 1));
  EXPECT_EQ(back_end_.marks_in_flight(), 3);
  EXPECT_EQ(back_end_.synchronizations, 0);
}

TEST_F(BudgetPolicyTest, WhatHasFinishedIsReleasedInItsOrderWithoutAWait) {
  BudgetPolicy policy = make(300, back_end_);
  run_batches(policy, {100, 100, 100});

  back_end_.finish_until(2);
  run_batches(policy, {100, 100});
  EXPECT_THAT(back_end_.waited_marks, IsEmpty());

  run_batches(policy, {100});
  EXPECT_THAT(back_end_.waited_marks, ElementsAre(2));
}

TEST_F(BudgetPolicyTest, ALargeBatchTakesTheRoomOfSeveralSmallOnes) {
  BudgetPolicy policy = make(500, back_end_);
  run_batches(policy, {100, 100, 100, 200});

  run_batches(policy, {200});
  EXPECT_THAT(back_end_.waited_marks, ElementsAre(0, 1));

  run_batches(policy, {100});
  EXPECT_THAT(back_end_.waited_marks, ElementsAre(0, 1, 2, 3)) << "300 and one more of 200";
}

TEST_F(BudgetPolicyTest, ABatchThatKeepsNothingNeverWaits) {
  BudgetPolicy policy = make(1, back_end_);

  run_batches(policy, std::vector<std::uint64_t>(100, 0));

  EXPECT_THAT(back_end_.waited_marks, IsEmpty());
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(BudgetPolicyTest, BatchesThatKeepNothingTakeNoRoomAmongThoseThatDo) {
  BudgetPolicy policy = make(100, back_end_);

  run_batches(policy, {50, 0, 0, 50, 50});

  EXPECT_THAT(back_end_.waited_marks, ElementsAre(0)) << "before the last of the five";
  EXPECT_EQ(back_end_.marks_in_flight(), 2);
}

TEST_F(BudgetPolicyTest, ABatchLargerThanTheBudgetRunsAloneAndThatIsSaidOnce) {
  BudgetPolicy policy = make(50, back_end_);

  run_batches(policy, {100, 100, 100, 100});

  EXPECT_THAT(back_end_.waited_marks, ElementsAre(0, 1, 2));
  EXPECT_EQ(back_end_.marks_in_flight(), 1);
  ASSERT_THAT(notices_, SizeIs(1));
  EXPECT_THAT(notices_.front(),
              HasSubstr("found batches that keep 100 B in flight with a budget of 50 B"));
  EXPECT_THAT(notices_.front(), HasSubstr("set 200 or more"));
}

TEST_F(BudgetPolicyTest, ABatchAsLargeAsTheBudgetRunsAloneWithoutAWord) {
  BudgetPolicy policy = make(100, back_end_);

  run_batches(policy, {100, 100, 100});

  EXPECT_THAT(back_end_.waited_marks, ElementsAre(0, 1));
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(BudgetPolicyTest, SaysNothingWhereNothingIsEverInFlight) {
  CpuBackEnd back_end;
  BudgetPolicy policy = make(1, back_end);

  run_batches(policy, {100, 100, 100});

  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(BudgetPolicyTest, NoticesAreForWhoeverListens) {
  BudgetPolicy policy(1, back_end_);

  EXPECT_NO_THROW(run_batches(policy, {100, 100}));
  EXPECT_THAT(back_end_.waited_marks, ElementsAre(0));
}

}  // namespace
}  // namespace runahead::train
