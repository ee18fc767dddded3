#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "core/experiment/increment_timing.h"
#include "core/experiment/launch_queue_depth.h"
#include "core/experiment/measured_figures.h"

namespace runahead::experiment {
namespace {

// The fit of t1, t2 and t3 to times that the formulas gave, and what it predicts.

struct Costs {
  double t1 = 0.0;
  double t2 = 0.0;
  double t3 = 0.0;
};

/// As the formulas have it; without busy_seconds.
IncrementRun run_of(const Costs& costs, std::int64_t operations) {
  const auto n = static_cast<double>(operations);
  const double slower = std::max(costs.t1, costs.t2);
  return {.operations = operations,
          .waited_each_seconds = n * (costs.t1 + costs.t2 + costs.t3),
          .waited_once_seconds = costs.t1 + costs.t2 + costs.t3 + (n - 1) * slower,
          .issue_seconds = n * costs.t1};
}

void expect_costs(const train::BatchCost& fitted, const Costs& costs) {
  EXPECT_NEAR(fitted.t1_seconds, costs.t1, 1e-9);
  EXPECT_NEAR(fitted.t2_seconds, costs.t2, 1e-9);
  EXPECT_NEAR(fitted.t3_seconds, costs.t3, 1e-9);
}

constexpr Costs kSlowBackEnd{.t1 = 1.0, .t2 = 3.0, .t3 = 2.0};

TEST(IncrementFit, FindsTheCostsWhereTheBackEndIsSlowerOrReportsWhatItTook) {
  const Costs fast{.t1 = 3.0, .t2 = 1.0, .t3 = 2.0};
  std::vector<IncrementRun> runs{run_of(fast, 10), run_of(fast, 50)};
  for (IncrementRun& run : runs) run.busy_seconds = static_cast<double>(run.operations) * fast.t2;

  expect_costs(fit_increments({run_of(kSlowBackEnd, 10), run_of(kSlowBackEnd, 50)}), kSlowBackEnd);
  expect_costs(fit_increments(runs), fast);
}

TEST(IncrementFit, IsNotMovedByRunsThatWereSlowedDown) {
  IncrementRun slowed = run_of(kSlowBackEnd, 50);
  slowed.waited_once_seconds *= 2.0;
  slowed.waited_each_seconds *= 2.0;
  slowed.issue_seconds *= 5.0;
  const IncrementRun fast = run_of(kSlowBackEnd, 50);

  expect_costs(fit_increments({run_of(kSlowBackEnd, 10), slowed, slowed, fast, slowed}),
               kSlowBackEnd);
}

TEST(IncrementJson, HoldsTheLeastTimesAgainstThePrediction) {
  const train::BatchCost cost =
      fit_increments({run_of(kSlowBackEnd, 10), run_of(kSlowBackEnd, 50)});
  IncrementRun slow_each = run_of(kSlowBackEnd, 1000);
  slow_each.waited_each_seconds *= 1.5;
  IncrementRun slow_once = run_of(kSlowBackEnd, 1000);
  slow_once.waited_once_seconds *= 1.5;
  slow_once.waited_each_seconds *= 0.9;

  const Json found = to_json({slow_each, slow_once, slow_each}, cost);

  EXPECT_EQ(found["operations"], 1000);
  EXPECT_EQ(found["waited_once_seconds"]["count"], 3);
  EXPECT_NEAR(found["error_each"].get<double>(), -0.1, 1e-9);
  EXPECT_NEAR(found["error_once"].get<double>(), 0.0, 1e-9);
  EXPECT_THROW(static_cast<void>(to_json(std::vector<IncrementRun>{}, cost)), UsageError);
}

// How deep the queue of a device is, found in simulated time.

using ::testing::HasSubstr;

struct FakeSettings {
  std::int64_t room = 1'000'000;         ///< Launches that the queue takes.
  std::optional<double> held_seconds{};  ///< How long it is held; nullopt: as asked.
  std::int64_t slow_launch = 0;          ///< The launch, counted from 1, that takes
  double slow_seconds = 0.0;             ///< so long.
};

/// Its clock moves by launches alone: each takes a second while there is room, and beyond that
/// until the hold is over.
class FakeDevice final : public HeldDevice {
 public:
  explicit FakeDevice(const FakeSettings& settings) : settings_(settings) {}

  void hold(double seconds) override { end_ = settings_.held_seconds.value_or(seconds); }
  [[nodiscard]] double seconds() const override { return now_; }
  [[nodiscard]] bool is_held() const override { return now_ < end_; }
  void launch() override {
    ++launches_;
    if (launches_ > settings_.room && is_held()) {
      now_ = end_;
    } else {
      now_ += launches_ == settings_.slow_launch ? settings_.slow_seconds : 1.0;
    }
  }
  [[nodiscard]] std::uint64_t claimed_bytes() const override {
    return 100 + 8 * static_cast<std::uint64_t>(launches_);
  }

 private:
  FakeSettings settings_;
  double now_ = 0.0;
  double end_ = 0.0;
  std::int64_t launches_ = 0;
};

TEST(LaunchQueueDepth, IsThatOfTheTable) {
  struct Row {
    const char* what;
    FakeSettings settings;
    double hold_seconds;
    std::int64_t most_launches;
    std::int64_t launches;
    std::optional<double> blocked_seconds;
    const char* unknown_because;
  };
  const Row rows[] = {
      {"what was launched before one blocked", {.room = 7}, 100.0, 1000, 7, 93.0, ""},
      {"none blocks", {}, 100.0, 5, 5, {}, "none of 5 launches blocked; raise /launches"},
      {"the hold is nearly over",
       {},
       20.5,
       1000,
       19,
       {},
       "nearly over after 19 launches, and none had blocked; raise /hold_seconds"},
      {"not held to the end", {.held_seconds = 3.5}, 100.0, 20, 20, {}, "no longer held"},
      {"a slow launch while the device is held has not blocked",
       {.slow_launch = 3, .slow_seconds = 50.0},
       100.0,
       5,
       5,
       {},
       "none of 5 launches blocked"},
      {"its clock is a little faster", {.room = 7, .held_seconds = 99.5}, 100.0, 1000, 7, 92.5, ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    FakeDevice device(row.settings);
    const LaunchQueue queue = fill_launch_queue(device, row.hold_seconds, row.most_launches);
    EXPECT_EQ(queue.launches, row.launches);
    EXPECT_EQ(queue.launch_seconds, 1.0);
    EXPECT_EQ(queue.blocked_seconds, row.blocked_seconds);
    EXPECT_THAT(queue.unknown_because, HasSubstr(row.unknown_because));
    EXPECT_EQ(queue.unknown_because.empty(), row.blocked_seconds.has_value());
    EXPECT_EQ(queue.kept_bytes, 8U * static_cast<std::uint64_t>(row.launches));
  }
}

// Small parts of the records of the tutorials' programs.

TEST(MeasuredFigures, AFactSeenTwiceMustHoldTwiceAndOfWhatIsKeptTheLastStays) {
  MeasuredFigures figures;
  for (const bool holds : {false, true}) {
    Repeat repeat;
    repeat.observe("holds in each", true);
    repeat.observe("holds", holds);
    repeat.observe("holds", true);
    repeat.keep("kept", holds ? 2 : 1);
    figures.add(repeat);
  }

  EXPECT_EQ(figures.to_json()["holds in each"], true);
  EXPECT_EQ(figures.to_json()["holds"], false);
  EXPECT_EQ(figures.to_json()["kept"], 2);
}

TEST(MostInFlight, IsTheBoundWhereCallsBlockAtIt) {
  std::vector<double> issued;
  for (int i = 1; i <= 100; ++i) issued.push_back(i <= 32 ? 0.0 : i - 32);  // A second each.

  EXPECT_NEAR(most_in_flight(issued, 100.0), 32.0, 1e-9);
}

}  // namespace
}  // namespace runahead::experiment
