#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/train/policies/adaptive_window.h"

namespace runahead::train {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Ge;
using ::testing::Le;

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

/// One of five stalls.
double stalling(std::size_t batch) { return batch % 5 == 4 ? 2.5 : 0.1; }

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
