#include "core/train/policies/cost_model.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runahead::train {
namespace {

/// The two sides work in turn within a batch, as d2l's MXNet edition takes them to.
constexpr BatchCost in_turn(double t1, double t2, double t3) {
  return {.t1_seconds = t1,
          .t2_seconds = t2,
          .t3_seconds = t3,
          .t1_before_seconds = t1,
          .t2_result_seconds = t2};
}

constexpr BatchCost kSlowBackEnd = in_turn(1.0, 4.0, 0.5);
constexpr BatchCost kSlowFrontEnd = in_turn(3.0, 1.0, 0.5);
/// The back end has its first operation after 0.5 s, the result after `result_seconds` of 4 s.
constexpr BatchCost overlapping(double result_seconds) {
  return {.t1_seconds = 1.0,
          .t2_seconds = 4.0,
          .t3_seconds = 0.5,
          .t1_before_seconds = 0.5,
          .t2_result_seconds = result_seconds};
}

struct ModelCase {
  std::string name{};
  BatchCost cost{};
  CostShape shape{};
  std::int64_t batches = 10;
  double total_seconds = 0.0;
  double queued = 0.0;
};

TEST(CostModel, PredictsAsTheTableSays) {
  constexpr CostShape kNone{};
  constexpr CostShape kEveryBatch{.batches_per_wait = 1};
  const std::vector<ModelCase> cases{
      {"batches that are waited for add up", kSlowBackEnd, kEveryBatch, 10, 55.0, 1.0},
      {"with a slow front end too", kSlowFrontEnd, kEveryBatch, 10, 45.0, 1.0},
      {"not waited for they overlap", kSlowBackEnd, kNone, 10, 41.5, 10 - 9.0 / 4.0},
      {"a longer issue leaves less in the queue", in_turn(2.0, 4.0, 0.5), kNone, 10, 42.5,
       10 - 18.0 / 4.0},
      {"a back end that takes no time has no queue", in_turn(0.0, 0.0, 0.0), kNone, 10, 0.0, 1.0},
      {"before a slow front end nothing queues up", kSlowFrontEnd, kNone, 10, 31.5, 1.0},
      {"a wait that ends while the back end is busy costs nothing", overlapping(1.0), kEveryBatch,
       10, 0.5 + 40.0 + 0.5, 1.0},
      {"a wait costs what the back end is idle", overlapping(3.5), kEveryBatch, 10, 9 * 4.5 + 5.0,
       1.0},
      {"every n is groups and a rest",
       kSlowBackEnd,
       {.batches_per_wait = 4},
       10,
       2 * 17.5 + 9.5,
       4 - 3.0 / 4.0},
      {"without a rest", kSlowBackEnd, {.batches_per_wait = 4}, 8, 2 * 17.5, 4 - 3.0 / 4.0},
      {"a window of one is a wait a batch", kSlowBackEnd, {.batches_in_flight = 1}, 10, 55.0, 1.0},
      {"a larger one costs nothing", kSlowBackEnd, {.batches_in_flight = 3}, 10, 41.5, 3.0},
      {"no batches cost nothing", kSlowBackEnd, kNone, 0, 0.0, 0.0},
  };
  for (const ModelCase& tested : cases) {
    SCOPED_TRACE(tested.name);
    EXPECT_DOUBLE_EQ(predicted_total_seconds(tested.cost, tested.shape, tested.batches),
                     tested.total_seconds);
    EXPECT_DOUBLE_EQ(predicted_batches_queued(tested.cost, tested.shape, tested.batches),
                     tested.queued);
  }
  EXPECT_EQ(bottleneck(kSlowBackEnd), Bottleneck::kBackEnd);
  EXPECT_EQ(bottleneck(kSlowFrontEnd), Bottleneck::kFrontEnd);
}

}  // namespace
}  // namespace runahead::train
