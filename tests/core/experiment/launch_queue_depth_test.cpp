// How deep the queue of a device is, found in simulated time.
#include "core/experiment/launch_queue_depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace runahead::experiment {
namespace {

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

LaunchQueue fill(const FakeSettings& settings, double hold_seconds, std::int64_t most_launches) {
  FakeDevice device(settings);
  return fill_launch_queue(device, hold_seconds, most_launches);
}

TEST(LaunchQueueDepth, IsWhatWasLaunchedBeforeALaunchBlocked) {
  const LaunchQueue queue = fill({.room = 7}, 100.0, 1000);

  EXPECT_EQ(queue.launches, 7);
  EXPECT_EQ(queue.launch_seconds, 1.0);
  EXPECT_EQ(queue.blocked_seconds, 93.0);
  EXPECT_EQ(queue.kept_bytes, 56U) << "without the one that blocked";
  EXPECT_EQ(queue.unknown_because, "");
}

TEST(LaunchQueueDepth, IsUnknownWhereNoneOfTheLaunchesBlocks) {
  const LaunchQueue queue = fill({}, 100.0, 5);

  EXPECT_EQ(queue.launches, 5);
  EXPECT_FALSE(queue.blocked_seconds);
  EXPECT_THAT(queue.unknown_because, HasSubstr("none of 5 launches blocked; raise /launches"));
}

TEST(LaunchQueueDepth, IsUnknownWhereTheHoldIsNearlyOver) {
  const LaunchQueue queue = fill({}, 20.5, 1000);

  EXPECT_EQ(queue.launches, 19);
  EXPECT_THAT(queue.unknown_because, HasSubstr("nearly over after 19 launches"));
  EXPECT_THAT(queue.unknown_because, HasSubstr("raise /hold_seconds"));
}

TEST(LaunchQueueDepth, IsUnknownWhereTheDeviceWasNotHeldToTheEnd) {
  const LaunchQueue queue = fill({.held_seconds = 3.5}, 100.0, 20);

  EXPECT_FALSE(queue.blocked_seconds);
  EXPECT_THAT(queue.unknown_because, HasSubstr("no longer held"));
}

TEST(LaunchQueueDepth, ALaunchThatIsSlowWhileTheDeviceIsHeldHasNotBlocked) {
  const LaunchQueue queue = fill({.slow_launch = 3, .slow_seconds = 50.0}, 100.0, 5);

  EXPECT_EQ(queue.launches, 5);
  EXPECT_EQ(queue.launch_seconds, 1.0);
  EXPECT_FALSE(queue.blocked_seconds);
}

TEST(LaunchQueueDepth, TheClockOfTheDeviceMayBeALittleFaster) {
  EXPECT_EQ(fill({.room = 7, .held_seconds = 99.5}, 100.0, 1000).blocked_seconds, 92.5);
}

}  // namespace
}  // namespace runahead::experiment
