#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/train/policies/adaptive_depth.h"
#include "core/train/policies/adaptive_window.h"

namespace runahead::train {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Ge;
using ::testing::Le;

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

/// The choices in simulated time: a back end that takes one second a batch, in its order, and a
/// front end whose issue takes what a test says.
class AdaptiveWindowTest : public ::testing::Test {
 protected:
  using IssueSeconds = std::function<double(std::size_t batch)>;

  /// Goes on with more batches. @return for how long the back end had nothing to do meanwhile.
  double run(std::size_t batches, const IssueSeconds& issue_seconds) {
    double idle_seconds = 0.0;
    for (std::size_t i = 0; i < batches; ++i) {
      bool was_held = false;
      while (count_unfinished() >= window_.batches()) {
        was_held = true;
        now_ = finished_[finished_.size() - count_unfinished()];
      }
      now_ += issue_seconds(i);
      const double free_from = finished_.empty() ? now_ : finished_.back();
      idle_seconds += std::max(0.0, now_ - free_from);
      window_.note_batch({.was_held = was_held, .in_reserve = count_unfinished()});
      finished_.push_back(std::max(now_, free_from) + 1.0);
    }
    return idle_seconds;
  }

  [[nodiscard]] std::uint64_t count_unfinished() const {
    return static_cast<std::uint64_t>(finished_.end() -
                                      std::upper_bound(finished_.begin(), finished_.end(), now_));
  }

  AdaptiveWindow window_{};
  double now_ = 0.0;
  std::vector<double> finished_{};  ///< When each batch is, ascending.
};

double fast(std::size_t) { return 0.1; }
/// One of five stalls.
double stalling(std::size_t batch) { return batch % 5 == 4 ? 2.5 : 0.1; }

TEST_F(AdaptiveWindowTest, ASteadyFrontEndNeedsTwoInFlight) {
  EXPECT_EQ(run(1000, fast), 0.0);

  EXPECT_THAT(window_.choices(),
              ElementsAre(AllOf(Field(&Choice::batch, 0U), Field(&Choice::most_in_flight, 2U))));
}

TEST_F(AdaptiveWindowTest, StallsAreBridgedByAsFewBatchesAsCan) {
  run(100, stalling);
  EXPECT_EQ(window_.batches(), 4U) << "of 2.5 s after up to one that is nearly finished";

  EXPECT_EQ(run(1000, stalling), 0.0);
  EXPECT_EQ(window_.batches(), 4U);
}

TEST_F(AdaptiveWindowTest, LoweringsThatStarveGetRarer) {
  const IssueSeconds rarely = [](std::size_t batch) { return batch % 50 == 49 ? 2.5 : 0.1; };
  run(5000, rarely);
  const std::size_t choices = window_.choices().size();

  EXPECT_EQ(run(1000, rarely), 0.0);
  EXPECT_LE(window_.choices().size(), choices + 2);
}

TEST_F(AdaptiveWindowTest, NeverPassesItsBounds) {
  for (int i = 0; i < 3000; ++i) window_.note_batch({.was_held = true, .in_reserve = 0});
  EXPECT_EQ(window_.batches(), AdaptiveWindow::kMostBatches);
  EXPECT_LE(window_.choices().size(), ChoiceSeries::kMostChoices);

  for (int i = 0; i < 100'000; ++i) {
    window_.note_batch({.was_held = true, .in_reserve = window_.batches() - 1});
    EXPECT_THAT(window_.batches(), AllOf(Ge(2U), Le(AdaptiveWindow::kMostBatches)));
  }
  EXPECT_EQ(window_.batches(), 2U);
}

TEST_F(AdaptiveWindowTest, ANewSeriesBeginsWithWhatHolds) {
  run(100, stalling);

  window_.restart_series();

  EXPECT_THAT(window_.choices(),
              ElementsAre(AllOf(Field(&Choice::batch, 0U), Field(&Choice::most_in_flight, 4U))));
}

}  // namespace
}  // namespace runahead::train
