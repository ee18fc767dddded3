#include "core/base/json_number.h"

#include <gtest/gtest.h>

#include <limits>

namespace runahead {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(JsonNumber, IsAnIntegerHoweverItIsWritten) {
  EXPECT_EQ(integer_of(3), 3);
  EXPECT_EQ(integer_of(3.0), 3);
  EXPECT_EQ(integer_of(kLeast), kLeast);
  EXPECT_EQ(whole_of(kMost), kMost);
  EXPECT_EQ(whole_of(1e3), 1000u);
}

TEST(JsonNumber, IsNoIntegerThatTheTypeCannotHold) {
  EXPECT_EQ(integer_of(3.5), std::nullopt);
  EXPECT_EQ(integer_of(1e300), std::nullopt);
  EXPECT_EQ(integer_of(kMost), std::nullopt);
  EXPECT_EQ(whole_of(-1), std::nullopt);
  EXPECT_EQ(whole_of(0x1p64), std::nullopt);
  EXPECT_EQ(integer_as<int>(std::int64_t{1} << 32), std::nullopt);
  EXPECT_EQ(integer_as<int>(-5), -5);
  EXPECT_EQ(integer_as<std::uint32_t>(kMost), std::nullopt);
}

TEST(JsonNumber, IsNothingElse) {
  for (const Json& other : {Json(true), Json("3"), Json(nullptr), Json::array({3})}) {
    EXPECT_EQ(integer_of(other), std::nullopt);
    EXPECT_EQ(whole_of(other), std::nullopt);
  }
}

}  // namespace
}  // namespace runahead
