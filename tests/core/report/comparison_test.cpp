#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "core/report/ratio.h"

namespace runahead::report {
namespace {

TEST(RatioOfTwo, CoversTheTrueRatioAsOftenAsItSays) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int missed = 0;
  for (int trial = 0; trial < 2000; ++trial) {  // Unequal numbers and unequal scatter.
    std::vector<double> first;
    std::vector<double> second;
    for (int run = 0; run < 4; ++run) first.push_back(std::exp(0.05 * normal(random)));
    for (int run = 0; run < 7; ++run) second.push_back(2.0 * std::exp(0.2 * normal(random)));
    const Ratio found = of_two(first, second).value();
    missed += *found.lower > 2.0 || *found.upper < 2.0 ? 1 : 0;
  }
  EXPECT_GE(missed, 70);  // 100 of 2000 are expected, with a deviation of 10.
  EXPECT_LE(missed, 130);
}

TEST(RatioOfTwo, HasNoIntervalWithoutRepeatsOrScatterAndNoValueWithoutPositiveFigures) {
  const std::vector<double> one{2.0};
  const std::vector<double> equal{3.0, 3.0};
  const std::vector<double> zero{0.0, 1.0};
  const std::vector<double> wild_first{1e-300, 1e300};
  const std::vector<double> wild_second{1e-300, 1e299};

  EXPECT_NEAR(of_two(one, equal)->value, 1.5, 1e-12);
  EXPECT_FALSE(of_two(one, equal)->lower);
  EXPECT_FALSE(of_two(equal, equal)->chance);
  EXPECT_FALSE(of_two(zero, equal));
  EXPECT_FALSE(of_two({}, equal));
  EXPECT_GT(*of_two(wild_first, wild_second)->lower, 0.0);
  EXPECT_TRUE(std::isfinite(*of_two(wild_first, wild_second)->upper));
}

TEST(RatioOverAll, IsTheGeometricMeanOfTheCells) {
  const Ratio found = over_all({{.value = 2.0}, {.value = 8.0}}).value();

  EXPECT_NEAR(found.value, 4.0, 1e-12);
  EXPECT_NEAR(std::log(*found.upper / 4.0), 12.7062 * std::log(2.0), 1e-3);
  EXPECT_FALSE(over_all({{.value = 2.0}})->upper);
  EXPECT_FALSE(over_all({}));
}

std::set<std::size_t> discovered(const std::vector<double>& chances) {
  std::vector<std::optional<Ratio>> ratios;
  for (const double chance : chances) ratios.push_back(Ratio{.chance = chance});
  return discoveries(ratios);
}

TEST(Discoveries, GoUpToTheLastThatIsBelowItsShare) {
  // Limits by rank are 0.0125, 0.025, 0.0375 and 0.05: the third is below its own, hence the second
  // is named, too.
  EXPECT_EQ(discovered({0.5, 0.001, 0.036, 0.03}), (std::set<std::size_t>{1, 2, 3}));
  EXPECT_EQ(discovered({0.5, 0.013, 0.03, 0.04}), std::set<std::size_t>{});
  EXPECT_EQ(discoveries({std::nullopt, Ratio{.value = 9.0}}), std::set<std::size_t>{});
}

}  // namespace
}  // namespace runahead::report
