#include "core/slurm/poll_pause.h"

#include <gtest/gtest.h>

#include "fake_slurm.h"

namespace runahead::slurm {
namespace {

class PollPauseTest : public ::testing::Test {
 protected:
  /// Seconds of the next pause.
  double next_seconds() {
    const double before = slurm_.now;
    pause_.begin();
    EXPECT_TRUE(pause_.wait(without_end_));
    return slurm_.now - before;
  }

  test::FakeSlurm slurm_;
  PollPause pause_{slurm_};
  std::optional<double> without_end_{};
};

TEST_F(PollPauseTest, GrowsToTenSecondsWhileNothingHappens) {
  EXPECT_EQ(next_seconds(), 1.0);
  EXPECT_EQ(next_seconds(), 1.5);
  for (int pause = 0; pause < 10; ++pause) static_cast<void>(next_seconds());
  EXPECT_EQ(next_seconds(), 10.0);
  pause_.shorten_next();
  EXPECT_EQ(next_seconds(), 1.0);
}

TEST_F(PollPauseTest, IsOverBeforeItHasBegun) {
  EXPECT_TRUE(pause_.wait(without_end_));
  EXPECT_EQ(slurm_.waits, 0);
}

TEST_F(PollPauseTest, IsWaitedForInParts) {
  pause_.begin();
  std::optional<double> patience_seconds = 0.75;
  EXPECT_FALSE(pause_.wait(patience_seconds));
  EXPECT_FALSE(pause_.wait(patience_seconds));  // There is none left.
  EXPECT_EQ(slurm_.now, 0.75);
  patience_seconds = 0.75;
  EXPECT_TRUE(pause_.wait(patience_seconds));
  EXPECT_EQ(slurm_.now, 1.0);
  EXPECT_EQ(patience_seconds, 0.5);
}

TEST_F(PollPauseTest, EndsWhenItIsToldTo) {
  pause_.begin();
  pause_.end();
  EXPECT_TRUE(pause_.wait(without_end_));
  EXPECT_EQ(slurm_.now, 0.0);
}

}  // namespace
}  // namespace runahead::slurm
