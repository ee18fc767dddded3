#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "core/base/clock.h"
#include "core/train/policies/adaptive_window.h"
#include "core/train/policies/depth_controller.h"
#include "core/train/policies/load_meter.h"

namespace runahead::train {
namespace {

/// What one batch of a simulated loop takes, seconds.
struct SimulatedBatch {
  double source_seconds = 0.0;              ///< Of the front end, before its operations.
  double issue_seconds = 0.0;               ///< Of the front end, for each operation.
  std::vector<double> operation_seconds{};  ///< Of the back end, for each.
};

/// A front end and a back end with one worker that executes in the order of issue, in simulated
/// time: the front end is held as the engine's gate holds it, high and low watermark included.
/// Reports to a LoadMeter what an engine would.
class SimulatedLoop {
 public:
  explicit SimulatedLoop(LoadMeter& meter) : meter_(meter) { meter_.begin(at(0.0)); }

  /// Issues one batch with so many operations in flight at most. @return what the meter says.
  BatchLoad run(const SimulatedBatch& batch, std::uint64_t depth) {
    now_ += batch.source_seconds;
    for (const double seconds : batch.operation_seconds) {
      now_ += batch.issue_seconds;
      finish_until(now_);
      hold_while_above(depth);
      issue(seconds);
    }
    finish_until(now_);
    return meter_.end_batch(at(now_));
  }

  /// Seconds in which the worker has executed nothing so far.
  [[nodiscard]] double idle_seconds() const { return idle_seconds_; }
  [[nodiscard]] double now() const { return now_; }

 private:
  static TimePoint at(double seconds) {
    return TimePoint{} + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(1.0 + seconds));
  }

  void hold_while_above(std::uint64_t depth) {
    if (in_flight_.size() < depth) return;
    meter_.on_wait_begin({engine::WaitCause::kLimit, at(now_)});
    const std::uint64_t low = depth - (depth + 3) / 4;
    while (in_flight_.size() > low) {
      now_ = std::max(now_, in_flight_.front());
      finish_until(now_);
    }
    meter_.on_wait_end({engine::WaitCause::kLimit, at(now_)});
  }

  void issue(double seconds) {
    meter_.on_push({.time = at(now_)});
    const double begun = std::max(now_, idle_since_);
    idle_seconds_ += begun - idle_since_;
    idle_since_ = begun + seconds;
    in_flight_.push_back(idle_since_);
  }

  void finish_until(double time) {
    while (!in_flight_.empty() && in_flight_.front() <= time) {
      meter_.on_finish({.time = at(in_flight_.front())});
      in_flight_.pop_front();
    }
  }

  LoadMeter& meter_;
  double now_ = 0.0;
  double idle_since_ = 0.0;  ///< When the worker will have executed what was issued.
  double idle_seconds_ = 0.0;
  std::deque<double> in_flight_{};  ///< When each will have finished.
};

// The controller against a front end and a back end in simulated time.

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
