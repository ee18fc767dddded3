// The controller against a front end and a back end in simulated time.
#include "core/train/policies/depth_controller.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/train/policies/simulated_loop.h"

namespace runahead::train {
namespace {

constexpr int kOperations = 24;
constexpr std::uint64_t kWholeBatch = kOperations * 5 / 4;  ///< And a quarter.

/// A batch of `kOperations`, one after the other of 1 ms, that takes 10 us each to issue.
SimulatedBatch even_batch(double operation_seconds = 1e-3, double source_seconds = 0.0) {
  return {.source_seconds = source_seconds,
          .issue_seconds = 1e-5,
          .operation_seconds = std::vector<double>(kOperations, operation_seconds)};
}

class DepthControllerTest : public ::testing::Test {
 protected:
  /// Runs so many batches, each at the depth that the ones before led to.
  void run(int batches, const SimulatedBatch& batch) {
    for (int i = 0; i < batches; ++i) {
      controller_.note_batch(loop_.run(batch, controller_.depth()));
      depths_.push_back(controller_.depth());
    }
  }

  /// The share of the time in which the back end idles at a fixed depth, once it has begun.
  static double idle_share(const SimulatedBatch& batch, std::uint64_t depth) {
    LoadMeter meter(1);
    SimulatedLoop loop(meter);
    static_cast<void>(loop.run(batch, depth));
    const double idle = loop.idle_seconds();
    const double begun = loop.now();
    for (int i = 0; i < 20; ++i) static_cast<void>(loop.run(batch, depth));
    return (loop.idle_seconds() - idle) / (loop.now() - begun);
  }

  static std::uint64_t smallest_depth_that_feeds(const SimulatedBatch& batch,
                                                 double most_idle_share = 0.005) {
    std::uint64_t depth = 2;
    while (depth < 1000 && idle_share(batch, depth) > most_idle_share) ++depth;
    return depth;
  }

  LoadMeter meter_{1};
  SimulatedLoop loop_{meter_};
  DepthController controller_{1};
  std::vector<std::uint64_t> depths_{};
};

TEST_F(DepthControllerTest, SeveralWorkersKeepTheOperationsOfABatchToChooseFrom) {
  DepthController controller(2);
  for (int i = 0; i < 100; ++i) {
    controller.note_batch({.batch_seconds = 1.0,
                           .held_seconds = 0.9,
                           .operations = kOperations,
                           .most_in_flight = controller.depth(),
                           .least_in_flight = controller.depth() / 2});
  }

  EXPECT_EQ(controller.depth(), static_cast<std::uint64_t>(kOperations));
}

TEST_F(DepthControllerTest, ConstantLoadComesDownToTheSmallestDepth) {
  run(60, even_batch());

  EXPECT_EQ(controller_.depth(), smallest_depth_that_feeds(even_batch()));
}

TEST_F(DepthControllerTest, SourceThatStallsOnceRaisesTheDepthForAWhile) {
  run(60, even_batch());
  const std::uint64_t before = controller_.depth();

  run(1, even_batch(1e-3, 100e-3));
  EXPECT_GT(controller_.depth(), before);
  EXPECT_LE(controller_.depth(), 2 * before);
  run(100, even_batch());

  EXPECT_EQ(controller_.depth(), before);
}

TEST_F(DepthControllerTest, StallsThatComeAgainAndAgainAreBridged) {
  const auto run_stalls = [this](int times) {
    for (int i = 0; i < times; ++i) {
      run(1, even_batch(1e-3, 60e-3));
      run(2, even_batch());
    }
  };
  run_stalls(20);
  const double begun = loop_.now();
  const double idle = loop_.idle_seconds();
  run_stalls(40);

  EXPECT_GT(controller_.depth(), kWholeBatch);
  EXPECT_LE(*std::max_element(depths_.begin(), depths_.end()), 5 * kOperations);
  EXPECT_LE((loop_.idle_seconds() - idle) / (loop_.now() - begun), 0.02);
}

TEST_F(DepthControllerTest, BatchesThatTheDepthDidNotHoldRaiseNothing) {
  run(1, even_batch());
  BatchLoad load{.batch_seconds = 1.0,
                 .held_seconds = 0.9,  // At another bound than this one.
                 .starved_seconds = 0.5,
                 .operations = 24,
                 .most_in_flight = 3};
  for (int i = 0; i < 50; ++i) {
    controller_.note_batch(load);
    ASSERT_EQ(controller_.depth(), kWholeBatch);
  }
}

TEST_F(DepthControllerTest, FromALoweringThatStarvedItGoesHalfWayThere) {
  const auto note = [&](int batches, double starved_seconds) {
    for (int i = 0; i < batches; ++i) {
      controller_.note_batch({.batch_seconds = 1.0,
                              .held_seconds = 1.0,
                              .starved_seconds = starved_seconds,
                              .operations = kOperations,
                              .most_in_flight = controller_.depth(),
                              .least_in_flight = 17});
    }
  };
  note(1 + 4, 0.0);
  EXPECT_EQ(controller_.depth(), 22U);
  note(1, 0.01);
  EXPECT_EQ(controller_.depth(), kWholeBatch);

  note(8, 0.0);
  EXPECT_EQ(controller_.depth(), 26U);
  note(1, 0.01);
  EXPECT_EQ(controller_.depth(), kWholeBatch);
  note(16, 0.0);
  EXPECT_EQ(controller_.depth(), 28U);
}

}  // namespace
}  // namespace runahead::train
