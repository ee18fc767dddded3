// Each policy waits exactly when it must, for exactly what it must: seen by a back end that writes
// down what is asked of it.
#include "core/train/sync_policy.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "support/fake_back_end.h"

namespace runahead::train {
namespace {

using config::SyncConfig;
using config::SyncPolicyKind;
using config::WaitKind;
using test::FakeBackEnd;

class SyncPolicyTest : public ::testing::Test {
 protected:
  std::unique_ptr<SyncPolicy> make(const SyncConfig& config) {
    return make_sync_policy(config, {.back_end = back_end_, .sink = sink_});
  }

  void run_batches(SyncPolicy& policy, int batches) {
    for (int i = 0; i < batches; ++i) {
      policy.before_batch();
      policy.after_batch({.loss = loss_, .bytes = 100, .kept_bytes = 100});
    }
  }

  FakeBackEnd back_end_{};
  std::ostringstream sink_{};
  torch::Tensor loss_ = torch::tensor(0.25);
};

TEST_F(SyncPolicyTest, NoneNeverWaits) {
  run_batches(*make({.policy = SyncPolicyKind::kNone}), 10);

  EXPECT_EQ(back_end_.synchronizations, 0);
  EXPECT_EQ(back_end_.waits_until_computed, 0);
  EXPECT_TRUE(back_end_.waited_marks.empty());
}

TEST_F(SyncPolicyTest, BudgetLeavesTheWaitingToADeviceThatHoldsAtAdmission) {
  back_end_.holds = true;
  run_batches(*make({.policy = SyncPolicyKind::kBudget, .bytes = 1}), 10);

  EXPECT_EQ(back_end_.synchronizations, 0);
  EXPECT_EQ(back_end_.waits_until_computed, 0);
  EXPECT_TRUE(back_end_.waited_marks.empty());
}

TEST_F(SyncPolicyTest, BudgetWaitsInTheLoopElsewhere) {
  run_batches(*make({.policy = SyncPolicyKind::kBudget, .bytes = 250}), 4);

  EXPECT_EQ(back_end_.waited_marks, (std::vector<std::size_t>{0, 1}));
}

TEST_F(SyncPolicyTest, BudgetSpeaksThroughItsSurroundings) {
  std::vector<std::string> notices;
  const auto policy = make_sync_policy(
      {.policy = SyncPolicyKind::kBudget, .bytes = 50},
      {.back_end = back_end_, .sink = sink_, .on_notice = [&](const std::string& text) {
         notices.push_back(text);
       }});

  run_batches(*policy, 3);

  EXPECT_EQ(notices.size(), 1U);
}

TEST_F(SyncPolicyTest, AdaptiveWithoutAnythingToChooseWithNeverWaits) {
  run_batches(*make({.policy = SyncPolicyKind::kAdaptive}), 10);

  EXPECT_TRUE(back_end_.waited_marks.empty());
}

class AdaptiveByBatchesTest : public SyncPolicyTest {
 protected:
  std::unique_ptr<SyncPolicy> make_adaptive(std::uint64_t ceiling_bytes = 1'000'000) {
    return make_sync_policy({.policy = SyncPolicyKind::kAdaptive, .ceiling = ceiling_bytes},
                            {.back_end = back_end_,
                             .sink = sink_,
                             .window = &window_,
                             .on_notice = [this](const std::string& text) { notice_ = text; }});
  }

  AdaptiveWindow window_{};
  std::string notice_{};
};

TEST_F(AdaptiveByBatchesTest, WaitsForTheOldestAlone) {
  // What keeps bytes has two marks a batch: the ceiling's, and then the window's.
  run_batches(*make_adaptive(), 4);

  EXPECT_EQ(back_end_.waited_marks, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(back_end_.synchronizations, 0);
  EXPECT_EQ(window_.batches(), 2U) << "one was in reserve each time";
}

TEST_F(AdaptiveByBatchesTest, AHeldBatchIssuedWithNothingInReserveRaisesTheWindow) {
  const auto policy = make_adaptive();
  run_batches(*policy, 2);

  policy->before_batch();
  back_end_.finish_until(4);
  policy->after_batch({.loss = loss_, .kept_bytes = 100});

  EXPECT_EQ(window_.batches(), 3U);
}

TEST_F(AdaptiveByBatchesTest, ABatchThatNothingHeldRaisesNothing) {
  const auto policy = make_adaptive();
  for (int i = 0; i < 10; ++i) {
    run_batches(*policy, 1);
    back_end_.finish_until(2 * (static_cast<std::size_t>(i) + 1));
  }

  EXPECT_TRUE(back_end_.waited_marks.empty());
  EXPECT_EQ(window_.batches(), 2U);
}

TEST_F(AdaptiveByBatchesTest, TheCeilingHoldsWhateverTheWindow) {
  for (int i = 0; i < 6; ++i) window_.note_batch({.was_held = true, .in_reserve = 0});
  ASSERT_EQ(window_.batches(), 8U);

  run_batches(*make_adaptive(250), 4);

  EXPECT_EQ(back_end_.waited_marks, (std::vector<std::size_t>{0, 2})) << "the ceiling's marks";
  EXPECT_EQ(window_.batches(), 8U);
}

TEST_F(AdaptiveByBatchesTest, ABatchLargerThanTheCeilingIsSaidByItsKey) {
  run_batches(*make_adaptive(50), 2);

  EXPECT_TRUE(notice_.starts_with("/sync/ceiling: found batches that keep 100 B")) << notice_;
}

TEST_F(SyncPolicyTest, EveryBatchWaitsOnceABatch) {
  run_batches(*make({.policy = SyncPolicyKind::kEveryBatch, .wait = WaitKind::kLossReady}), 7);

  EXPECT_EQ(back_end_.waits_until_computed, 7);
}

TEST_F(SyncPolicyTest, EveryNWaitsAfterEveryNthBatch) {
  const auto policy = make({.policy = SyncPolicyKind::kEveryN, .wait = WaitKind::kAll, .n = 3});

  std::vector<int> waits;
  for (int i = 0; i < 7; ++i) {
    run_batches(*policy, 1);
    waits.push_back(back_end_.synchronizations);
  }

  EXPECT_EQ(waits, (std::vector<int>{0, 0, 1, 1, 1, 2, 2}));
}

TEST_F(SyncPolicyTest, LossReadyCopiesAndDrainsNothing) {
  run_batches(*make({.policy = SyncPolicyKind::kEveryBatch, .wait = WaitKind::kLossReady}), 1);

  EXPECT_EQ(back_end_.synchronizations, 0);
}

TEST_F(SyncPolicyTest, AllDrains) {
  run_batches(*make({.policy = SyncPolicyKind::kEveryBatch, .wait = WaitKind::kAll}), 2);

  EXPECT_EQ(back_end_.synchronizations, 2);
}

TEST_F(SyncPolicyTest, PrintWritesTheLoss) {
  run_batches(*make({.policy = SyncPolicyKind::kEveryBatch, .wait = WaitKind::kPrint}), 2);

  EXPECT_EQ(sink_.str(), "loss 0.25\nloss 0.25\n");
}

TEST_F(SyncPolicyTest, OnlyPrintWrites) {
  for (const WaitKind wait : {WaitKind::kLossValue, WaitKind::kLossReady, WaitKind::kHostCopy,
                              WaitKind::kSave, WaitKind::kAll}) {
    run_batches(*make({.policy = SyncPolicyKind::kEveryBatch, .wait = wait}), 1);
  }

  EXPECT_EQ(sink_.str(), "");
}

TEST_F(SyncPolicyTest, WindowWaitsForBatchIMinusNBeforeBatchI) {
  run_batches(*make({.policy = SyncPolicyKind::kWindow, .batches = 3}), 6);

  EXPECT_EQ(back_end_.waited_marks, (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(SyncPolicyTest, WindowNeverHasMoreThanNBatchesInFlightAndNeverDrains) {
  const auto policy = make({.policy = SyncPolicyKind::kWindow, .batches = 4});

  std::size_t most = 0;
  for (int i = 0; i < 20; ++i) {
    run_batches(*policy, 1);
    most = std::max(most, back_end_.marks_in_flight());
  }

  EXPECT_EQ(most, 4);
  EXPECT_EQ(back_end_.marks_in_flight(), 4);
  EXPECT_EQ(back_end_.synchronizations, 0);
}

TEST_F(SyncPolicyTest, WindowOfOneWaitsForEachBatchBeforeTheNext) {
  run_batches(*make({.policy = SyncPolicyKind::kWindow, .batches = 1}), 4);

  EXPECT_EQ(back_end_.waited_marks, (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(SyncPolicyTest, AdaptiveTellsTheDepthOfEachBatchAndWaitsNowhere) {
  AdaptiveDepth depth(1, [](std::uint64_t) {});
  const auto policy = make_sync_policy({.policy = SyncPolicyKind::kAdaptive},
                                       {.back_end = back_end_, .sink = sink_, .depth = &depth});

  run_batches(*policy, 1);
  EXPECT_TRUE(depth.choices().empty());
  depth.observer().on_push({.time = Clock::now()});
  run_batches(*policy, 1);

  EXPECT_EQ(depth.choices().size(), 1U);
  EXPECT_EQ(back_end_.synchronizations, 0);
  EXPECT_EQ(back_end_.waits_until_computed, 0);
  EXPECT_TRUE(back_end_.waited_marks.empty());
}

TEST_F(SyncPolicyTest, AdaptiveDoesNothingWhereNothingIsInFlight) {
  run_batches(*make({.policy = SyncPolicyKind::kAdaptive}), 10);

  EXPECT_EQ(back_end_.synchronizations, 0);
  EXPECT_TRUE(back_end_.waited_marks.empty());
}

TEST_F(SyncPolicyTest, ParametersOutOfRangeAreRefused) {
  EXPECT_THROW(WindowPolicy(0, back_end_), UsageError);
  EXPECT_THROW(BudgetPolicy(0, back_end_), UsageError);
  EXPECT_THROW(EveryNPolicy(0, [](const torch::Tensor&) {}), UsageError);
  EXPECT_THROW(EveryNPolicy(1, nullptr), UsageError);
}

}  // namespace
}  // namespace runahead::train
