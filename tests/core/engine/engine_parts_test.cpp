#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/engine/operation_body.h"
#include "core/engine/push_times.h"

// The callable that operations are made of, and how long they have been in flight.
namespace runahead::engine::test {
namespace {

using std::chrono::milliseconds;

/// Describes itself, and is `kPadding` bytes larger than it need be.
template <std::size_t kPadding>
struct Described {
  void operator()() { ++*calls; }
  std::size_t describe(std::span<char> text) const noexcept {
    return std::string_view("two numbers").copy(text.data(), text.size());
  }
  std::shared_ptr<int> calls{};
  std::array<char, kPadding> padding{};
};

template <std::size_t kPadding>
void expect_called_described_and_destroyed_once() {
  const auto calls = std::make_shared<int>(0);
  {
    OperationBody body = Described<kPadding>{.calls = calls};
    OperationBody moved = std::move(body);
    EXPECT_FALSE(body);
    moved();
    EXPECT_EQ(*calls, 1);
    EXPECT_EQ(calls.use_count(), 2);
    std::string text(3, '?');
    EXPECT_EQ(moved.describe(text), 3U);
    EXPECT_EQ(text, "two");
    moved.reset();
    EXPECT_EQ(calls.use_count(), 1);
    moved = Described<kPadding>{.calls = calls};
    moved = [] {};
    EXPECT_EQ(calls.use_count(), 1);
    EXPECT_EQ(moved.describe(text), 0U);
    moved = Described<kPadding>{.calls = calls};
  }
  EXPECT_EQ(calls.use_count(), 1);
}

TEST(OperationBody, CallsDescribesAndDestroysItsCallableInlineOrOnTheHeap) {
  static_assert(OperationBody::is_inline<Described<8>>());
  static_assert(!OperationBody::is_inline<Described<OperationBody::kInlineBytes + 1>>());
  expect_called_described_and_destroyed_once<8>();
  expect_called_described_and_destroyed_once<1000>();
  EXPECT_FALSE(OperationBody());
  EXPECT_FALSE(OperationBody(std::function<void()>()));
}

TEST(PushTimes, AreWithinOnePercentWithoutGrowing) {
  PushTimes times;
  const TimePoint start{};
  constexpr int kTicks = 100'000;
  EXPECT_FALSE(times.of(1).has_value());
  for (int i = 0; i < kTicks; ++i) {
    const TimePoint tick = start + milliseconds(4 * i);
    times.note(static_cast<std::uint64_t>(2 * i + 1), 1, tick);
    times.note(static_cast<std::uint64_t>(2 * i + 2), 1, tick);
  }
  EXPECT_EQ(times.of(1), start);
  EXPECT_EQ(times.of(2), start);
  for (int i = 0; i < kTicks; i += 997) {
    const auto pushed_at = times.of(static_cast<std::uint64_t>(2 * i + 1));
    const TimePoint exact = start + milliseconds(4 * i);
    ASSERT_TRUE(pushed_at.has_value());
    EXPECT_LE(*pushed_at, exact);
    EXPECT_LE(seconds_between(*pushed_at, exact), 0.01 * 0.004 * kTicks);
  }
}

TEST(PushTimes, KeepTheOldestInFlightAndForgetWhatFinished) {
  PushTimes times;
  const TimePoint start{};
  for (int i = 0; i < 10; ++i) {
    times.note(static_cast<std::uint64_t>(i + 1), 5, start + milliseconds(4 * i));
  }
  EXPECT_FALSE(times.of(4).has_value());
  EXPECT_EQ(times.of(5), start + milliseconds(16));

  const TimePoint coarse = coarse_now();
  EXPECT_LE(coarse, Clock::now());
  EXPECT_LE(seconds_between(coarse, Clock::now()), 1.0);
}

}  // namespace
}  // namespace runahead::engine::test
