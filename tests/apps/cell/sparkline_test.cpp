#include "apps/cell/sparkline.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace runahead::cell {
namespace {

TEST(Sparkline, GoesFromTheLowestToTheHighestValue) {
  EXPECT_EQ(sparkline({{0.0, 10.0}, {1.0, 45.0}, {2.0, 80.0}}, 3), "▁▅█");
}

TEST(Sparkline, ShowsTheHighestValueOfEachShareOfTheTime) {
  EXPECT_EQ(sparkline({{0.0, 0.0}, {0.1, 7.0}, {0.9, 0.0}, {2.0, 0.0}}, 2), "█▁");
}

TEST(Sparkline, SharesWithoutPointsShowTheValueBefore) {
  EXPECT_EQ(sparkline({{0.0, 7.0}, {10.0, 0.0}}, 4), "███▁");
}

TEST(Sparkline, WhatWasNotMeasuredIsBlank) {
  EXPECT_EQ(sparkline({{0.0, std::nullopt}, {1.0, 1.0}, {2.0, 2.0}}, 3), " ▁█");
  EXPECT_EQ(sparkline({{0.0, std::nullopt}}, 3), "");
  EXPECT_EQ(sparkline({}, 3), "");
}

TEST(Sparkline, ConstantIsFlat) { EXPECT_EQ(sparkline({{0.0, 5.0}, {1.0, 5.0}}, 2), "▁▁"); }

TEST(Sparkline, NeedsAWidth) { EXPECT_THROW(static_cast<void>(sparkline({}, 0)), UsageError); }

}  // namespace
}  // namespace runahead::cell
