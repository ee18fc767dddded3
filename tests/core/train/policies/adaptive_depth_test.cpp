#include "core/train/policies/adaptive_depth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace runahead::train {
namespace {

TimePoint at(double seconds) {
  return TimePoint{} +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1.0 + seconds));
}

class AdaptiveDepthTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kOperations = 8;

  void SetUp() override {
    depth_.begin(at(now_));
    run_batch(false);
  }

  /// One batch that is held for half of its time, which starves the back end for as long, or leaves
  /// half of what may be in flight.
  void run_batch(bool is_starved, double seconds = 1.0) {
    engine::Observer& observer = depth_.observer();
    const std::uint64_t most = std::min(depth_.depth(), 2 * kOperations);
    for (; in_flight_ < most; ++in_flight_) observer.on_push({.time = at(now_)});
    observer.on_wait_begin({engine::WaitCause::kLimit, at(now_)});
    observer.on_wait_end({engine::WaitCause::kLimit, at(now_ + seconds / 2)});
    const std::uint64_t least = is_starved ? 0 : most / 2;
    for (; in_flight_ > least; --in_flight_) observer.on_finish({.time = at(now_ + seconds / 2)});
    now_ += seconds;
    depth_.end_batch(at(now_));
  }

  std::vector<std::uint64_t> set_depths_{};
  AdaptiveDepth depth_{1, [this](std::uint64_t operations) { set_depths_.push_back(operations); }};
  double now_ = 0.0;
  std::uint64_t in_flight_ = 0;
};

TEST_F(AdaptiveDepthTest, SetsWhatItChoosesAndWritesItDown) {
  const std::uint64_t first = depth_.depth();
  while (depth_.depth() == first) run_batch(false);

  EXPECT_LT(depth_.depth(), first);
  EXPECT_EQ(set_depths_, (std::vector<std::uint64_t>{first, depth_.depth()}));
  const std::vector<Choice> choices = depth_.choices();
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].batch, 1U) << "the first batch is counted, and not bound";
  EXPECT_EQ(choices[0].most_in_flight, first);
  EXPECT_EQ(choices[1].batch, static_cast<std::uint64_t>(now_));
  EXPECT_EQ(choices[1].most_in_flight, depth_.depth());
}

TEST_F(AdaptiveDepthTest, SeriesThatBeginsAnewKeepsTheDepth) {
  const std::uint64_t found = depth_.depth();

  depth_.restart_series();

  ASSERT_EQ(depth_.choices().size(), 1U);
  EXPECT_EQ(depth_.choices()[0].batch, 0U);
  EXPECT_EQ(depth_.choices()[0].most_in_flight, found);
}

TEST_F(AdaptiveDepthTest, ChoosesNothingBeforeTheFirstBatch) {
  AdaptiveDepth depth(1, [](std::uint64_t) { FAIL(); });

  depth.restart_series();

  EXPECT_EQ(depth.depth(), DepthController::kNoDepth);
  EXPECT_TRUE(depth.choices().empty());
}

TEST_F(AdaptiveDepthTest, KeepsTheLatestChoicesOnly) {
  // Each time lowered, starved by it and restored; without patience, for the load has changed.
  for (std::size_t cycle = 0; cycle < ChoiceSeries::kMostChoices; ++cycle) {
    const double seconds = cycle % 2 == 0 ? 1.0 : 2.0;
    for (int i = 0; i < 8; ++i) run_batch(false, seconds);
    run_batch(true, seconds);
  }

  EXPECT_GT(set_depths_.size(), ChoiceSeries::kMostChoices);
  EXPECT_EQ(depth_.choices().size(), ChoiceSeries::kMostChoices);
  EXPECT_GT(depth_.choices().front().batch, 0U);
  EXPECT_EQ(depth_.choices().back().most_in_flight, depth_.depth());
}

}  // namespace
}  // namespace runahead::train
