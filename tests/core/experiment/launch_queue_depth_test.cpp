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

}  // namespace
}  // namespace runahead::experiment
