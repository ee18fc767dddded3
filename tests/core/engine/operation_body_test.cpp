#include "core/engine/operation_body.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

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
