#include "core/base/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/base/error.h"

namespace runahead {
namespace {

const std::vector<double> kNone{};

TEST(Mean, AveragesAndNeedsAValue) {
  EXPECT_DOUBLE_EQ(mean(std::vector{1.0, 2.0, 6.0}), 3.0);
  EXPECT_THROW((void)mean(kNone), UsageError);
}

TEST(Median, IsTheMiddleValueWhateverTheOrder) {
  EXPECT_DOUBLE_EQ(median(std::vector{9.0, 1.0, 5.0}), 5.0);
  EXPECT_DOUBLE_EQ(median(std::vector{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_DOUBLE_EQ(median(std::vector{7.0}), 7.0);
  EXPECT_THROW((void)median(kNone), UsageError);
}

TEST(Percentile, InterpolatesBetweenNeighbours) {
  const std::vector values{40.0, 10.0, 30.0, 20.0};
  EXPECT_DOUBLE_EQ(percentile(values, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(percentile(values, 100.0), 40.0);
  EXPECT_DOUBLE_EQ(percentile(values, 25.0), 17.5);
  EXPECT_DOUBLE_EQ(percentile(values, 90.0), 37.0);
}

TEST(Percentile, OfOneToAHundredAndOneIsThePercentItself) {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(i);
  std::mt19937 random(1);
  std::ranges::shuffle(values, random);
  for (int percent = 0; percent <= 100; ++percent) {
    EXPECT_DOUBLE_EQ(percentile(values, percent), percent);
  }
}

TEST(Percentile, RefusesPercentsOutOfRangeAndNoValues) {
  EXPECT_THROW((void)percentile(std::vector{1.0}, -0.1), UsageError);
  EXPECT_THROW((void)percentile(std::vector{1.0}, 100.1), UsageError);
  EXPECT_THROW((void)percentile(kNone, 50.0), UsageError);
}

TEST(GeometricMean, OfARatioAndItsInverseIsOne) {
  EXPECT_NEAR(geometric_mean(std::vector{2.0, 0.5}), 1.0, 1e-12);
  EXPECT_NEAR(geometric_mean(std::vector{1.0, 10.0, 100.0}), 10.0, 1e-12);
}

TEST(GeometricMean, RefusesValuesThatAreNotAboveZero) {
  EXPECT_THROW((void)geometric_mean(std::vector{1.0, 0.0}), UsageError);
  EXPECT_THROW((void)geometric_mean(std::vector{-1.0}), UsageError);
  EXPECT_THROW((void)geometric_mean(kNone), UsageError);
}

}  // namespace
}  // namespace runahead
