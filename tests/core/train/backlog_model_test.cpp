#include "core/train/backlog_model.h"

#include <gtest/gtest.h>

namespace runahead::train {
namespace backlog_model_test {

constexpr BatchCost kSlowBackEnd{
    .t1_seconds = 1.0, .t2_seconds = 4.0, .t1_before_seconds = 1.0, .t2_result_seconds = 2.0};
constexpr CostShape kNone{};
constexpr CostShape kEveryBatch{.batches_per_wait = 1};

BatchEvents counted(std::uint64_t claimed_in_issue, std::uint64_t released_after_result) {
  return {.when_admitted = ClaimedBytes{.claimed = 1000},
          .when_issued = ClaimedBytes{.claimed = 1000 + claimed_in_issue},
          .when_computed = ClaimedBytes{.released = 500},
          .when_finished = ClaimedBytes{.released = 500 + released_after_result}};
}

TEST(BacklogModel, NothingIsLeftOfABatchThatWasWaitedForWhole) {
  EXPECT_EQ(fit_batch_bytes({counted(100, 70)}, false).value().after_result, 0);
}

TEST(BacklogModel, DeviceThatDoesNotCountHasNoBytes) {
  EXPECT_FALSE(fit_batch_bytes({BatchEvents{}}, true));
  EXPECT_FALSE(fit_batch_bytes({}, true));
}

TEST(BacklogModel, QueuedBatchesAddUp) {
  const BatchBytes bytes{.queued = 100, .after_result = 70};

  EXPECT_EQ(predicted_backlog_bytes(bytes, kSlowBackEnd, kNone, 9), 100 * (9 - 2));
  EXPECT_EQ(predicted_backlog_bytes(bytes, kSlowBackEnd, kNone, 0), 0);
}

TEST(BacklogModel, WaitLeavesARestBesideTheNextBatch) {
  const BatchBytes bytes{.queued = 100, .after_result = 70};

  EXPECT_EQ(predicted_backlog_bytes(bytes, kSlowBackEnd, kEveryBatch, 9), 170);
  EXPECT_EQ(predicted_backlog_bytes(bytes, kSlowBackEnd, kEveryBatch, 1), 100);
}

}  // namespace backlog_model_test
}  // namespace runahead::train
