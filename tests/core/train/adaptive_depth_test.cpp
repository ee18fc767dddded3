#include "core/train/adaptive_depth.h"

#include <gtest/gtest.h>

#include <chrono>

namespace runahead::train {
namespace {

TimePoint at(double seconds) {
  return TimePoint{} +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1.0 + seconds));
}

class AdaptiveDepthTest : public ::testing::Test {
 protected:
  /// One batch, in which the limit starves the back end for half of it, or not at all.
  void run_batch(bool is_starved, double seconds = 1.0) {
    engine::Observer& observer = depth_.observer();
    for (std::uint64_t i = 0; i < depth_.depth(); ++i) observer.on_push({.time = at(now_)});
    if (is_starved) {
      observer.on_wait_begin({engine::WaitCause::kLimit, at(now_)});
      observer.on_wait_end({engine::WaitCause::kLimit, at(now_ + seconds / 2)});
    }
    const double finished = is_starved ? seconds / 2 : seconds;
    for (std::uint64_t i = 0; i < depth_.depth(); ++i) {
      observer.on_finish({.time = at(now_ + finished)});
    }
    now_ += seconds;
    depth_.end_batch(at(now_));
  }

  std::vector<std::uint64_t> set_depths_{};
  AdaptiveDepth depth_{1, [this](std::uint64_t operations) { set_depths_.push_back(operations); }};
  double now_ = 0.0;
};

TEST_F(AdaptiveDepthTest, SetsWhatItChoosesAndWritesItDown) {
  const std::uint64_t first = depth_.depth();
  depth_.begin(at(now_));
  run_batch(false);
  EXPECT_TRUE(set_depths_.empty());
  run_batch(true);

  ASSERT_EQ(set_depths_, std::vector<std::uint64_t>{depth_.depth()});
  EXPECT_GT(depth_.depth(), first);
  const std::vector<DepthChoice> choices = depth_.choices();
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].batch, 0U);
  EXPECT_EQ(choices[0].operations, first);
  EXPECT_EQ(choices[1].batch, 2U);
  EXPECT_EQ(choices[1].operations, depth_.depth());
}

TEST_F(AdaptiveDepthTest, SeriesThatBeginsAnewKeepsTheDepth) {
  depth_.begin(at(now_));
  run_batch(true);
  const std::uint64_t found = depth_.depth();

  depth_.restart_series();

  ASSERT_EQ(depth_.choices().size(), 1U);
  EXPECT_EQ(depth_.choices()[0].batch, 0U);
  EXPECT_EQ(depth_.choices()[0].operations, found);
}

TEST_F(AdaptiveDepthTest, KeepsTheLatestChoicesOnly) {
  depth_.begin(at(now_));
  // Each time lowered, starved by it and restored; without patience, for the load has changed.
  for (std::size_t cycle = 0; cycle < kKeptChoices; ++cycle) {
    const double seconds = cycle % 2 == 0 ? 1.0 : 2.0;
    for (int i = 0; i < 4; ++i) run_batch(false, seconds);
    run_batch(true, seconds);
  }

  EXPECT_GT(set_depths_.size(), kKeptChoices);
  EXPECT_EQ(depth_.choices().size(), kKeptChoices);
  EXPECT_GT(depth_.choices().front().batch, 0U);
  EXPECT_EQ(depth_.choices().back().operations, depth_.depth());
}

}  // namespace
}  // namespace runahead::train
