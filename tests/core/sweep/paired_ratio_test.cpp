#include "core/sweep/paired_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace runahead::sweep {
namespace {

TEST(PairedRatio, HasStudentsIntervalOfTheLogarithms) {
  PairedRatio ratio(0.99);
  for (const double value : {0.9, 1.0, 1.1}) ratio.add(value * 50.0, 50.0);
  const auto interval = ratio.interval();

  // Mean and standard deviation of ln 0.9, 0, ln 1.1; t = 5.444 for 2 degrees of freedom.
  const double mean = (std::log(0.9) + std::log(1.1)) / 3.0;
  const double deviation = std::sqrt(
      (std::pow(std::log(0.9) - mean, 2) + mean * mean + std::pow(std::log(1.1) - mean, 2)) / 2.0);
  EXPECT_DOUBLE_EQ(interval->value, std::exp(mean));
  EXPECT_NEAR(*interval->lower, std::exp(mean - 5.444 * deviation / std::sqrt(3.0)), 1e-4);
  EXPECT_NEAR(*interval->upper, std::exp(mean + 5.444 * deviation / std::sqrt(3.0)), 1e-4);
}

TEST(PairedRatio, KeepsATargetThatEveryPairMeetsExactly) {
  PairedRatio ratio(0.5);
  for (int pair = 0; pair < 3; ++pair) ratio.add(1.0, 2.0);

  EXPECT_EQ(ratio.verdict(), Verdict::kKeeps);
}

/// Verdicts of 1000 seeded measurements of `truth` with `noise` a pair, target 0.99.
std::map<Verdict, int> simulate(double truth, double noise) {
  std::mt19937 random(1);
  std::normal_distribution<double> error(0.0, noise);
  std::map<Verdict, int> verdicts;
  for (int measurement = 0; measurement < 1000; ++measurement) {
    PairedRatio ratio(0.99);
    while (ratio.needs_more()) ratio.add(truth * std::exp(error(random)), 1.0);
    ++verdicts[ratio.verdict()];
  }
  return verdicts;
}

TEST(PairedRatio, IsAsSureAsItSays) {
  for (const double noise : {0.01, 0.03, 0.3}) {
    EXPECT_LE(simulate(0.99, noise)[Verdict::kKeeps], 65) << noise;
    EXPECT_LE(simulate(0.99, noise)[Verdict::kDoesNotKeep], 65) << noise;
  }
  EXPECT_LE(simulate(0.98, 0.03)[Verdict::kKeeps], 20);
  EXPECT_LE(simulate(0.98, 0.01)[Verdict::kKeeps], 3);
  EXPECT_LE(simulate(1.00, 0.03)[Verdict::kDoesNotKeep], 20);
}

TEST(PairedRatio, ReportsWhatNoiseAllows) {
  EXPECT_GE(simulate(1.00, 0.01)[Verdict::kKeeps], 900);
  EXPECT_GE(simulate(1.01, 0.01)[Verdict::kKeeps], 999);
  EXPECT_GE(simulate(0.95, 0.01)[Verdict::kDoesNotKeep], 999);
  EXPECT_GE(simulate(1.00, 0.10)[Verdict::kNone], 850);
}

}  // namespace
}  // namespace runahead::sweep
