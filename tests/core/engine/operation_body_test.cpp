#include "core/engine/operation_body.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace runahead::engine::test {
namespace {

TEST(OperationBody, IsEmptyByDefaultAndAfterItsMove) {
  OperationBody body;
  EXPECT_FALSE(body);
  body = [] {};
  EXPECT_TRUE(body);
  OperationBody moved = std::move(body);

  EXPECT_TRUE(moved);
  EXPECT_FALSE(body);
}

TEST(OperationBody, HoldsMoveOnlyCallables) {
  int result = 0;
  OperationBody body = [value = std::make_unique<int>(7), &result] { result = *value; };
  OperationBody moved = std::move(body);
  moved();

  EXPECT_EQ(result, 7);
}

TEST(OperationBody, SmallCallablesAreInlineLargeOnesAreNot) {
  const auto small = [numbers = std::array<char, OperationBody::kInlineBytes>()] {};
  const auto large = [numbers = std::array<char, OperationBody::kInlineBytes + 1>()] {};

  EXPECT_TRUE(OperationBody::is_inline<decltype(small)>());
  EXPECT_FALSE(OperationBody::is_inline<decltype(large)>());
}

/// Says its own text, and is as large as it is told.
template <std::size_t kPadding>
struct Described {
  void operator()() {}
  std::size_t describe(std::span<char> text) const noexcept {
    return std::string_view("two numbers").copy(text.data(), text.size());
  }
  std::array<char, kPadding> padding{};
};

template <std::size_t kPadding>
std::string description_of(std::size_t room) {
  const OperationBody body = Described<kPadding>();
  std::string text(room, '?');
  text.resize(body.describe(text));
  return text;
}

TEST(OperationBody, SaysWhatItsCallableSaysOfItself) {
  EXPECT_EQ(description_of<1>(64), "two numbers");
  EXPECT_EQ(description_of<1000>(64), "two numbers");
  EXPECT_EQ(description_of<1>(3), "two");
}

TEST(OperationBody, SaysNothingForCallablesThatDoNot) {
  const OperationBody body = [] {};
  std::array<char, 8> text{};
  EXPECT_EQ(body.describe(text), 0U);
}

TEST(OperationBody, LargeCallablesMoveAndRun) {
  std::array<int, 100> numbers{};
  numbers[99] = 5;
  int result = 0;
  OperationBody body = [numbers, &result] { result = numbers[99]; };
  OperationBody moved;
  moved = std::move(body);
  moved();

  EXPECT_EQ(result, 5);
}

template <std::size_t kPadding>
void expect_destroyed_once() {
  const auto shared = std::make_shared<int>(0);
  {
    OperationBody body = [shared, padding = std::array<char, kPadding>()] {};
    EXPECT_EQ(shared.use_count(), 2);
    OperationBody moved = std::move(body);
    EXPECT_EQ(shared.use_count(), 2);
    moved.reset();
    EXPECT_EQ(shared.use_count(), 1);
    moved = [shared, padding = std::array<char, kPadding>()] {};
    moved = [] {};
    EXPECT_EQ(shared.use_count(), 1);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(OperationBody, DestroysItsCallableOnce) {
  expect_destroyed_once<8>();
  expect_destroyed_once<200>();
}

TEST(OperationBody, PassesExceptionsOn) {
  OperationBody body = [] { throw 1; };

  EXPECT_THROW(body(), int);
}

}  // namespace
}  // namespace runahead::engine::test
