#include "core/memory/jitter_histogram.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "core/base/statistics.h"

namespace runahead::memory {
namespace {

TEST(JitterHistogram, AnswersWithinASixteenth) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> seconds(-10.0, 2.0);
  JitterHistogram histogram;
  EXPECT_EQ(histogram.percentile(99.0), std::nullopt);
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(seconds(random));
    histogram.add(values.back());
  }
  for (const double percent : {1.0, 50.0, 90.0, 99.0, 100.0}) {
    const double exact = percentile(values, percent);
    EXPECT_NEAR(*histogram.percentile(percent), exact, exact / 14) << percent;
  }
}

TEST(JitterHistogram, TakesEveryDuration) {
  for (const double seconds : {-1.0, 0.0, 1e-9, 15e-9, 16e-9, 17e-9, 31e-9, 32e-9, 1.0, 86400.0}) {
    JitterHistogram histogram;
    histogram.add(seconds);
    const double expected = seconds < 0.0 ? 0.0 : seconds;
    EXPECT_NEAR(*histogram.percentile(50.0), expected, expected / 16 + 1e-10) << seconds;
  }
  JitterHistogram histogram;
  histogram.add(1e30);
  EXPECT_GT(*histogram.percentile(50.0), 8e9);
}

}  // namespace
}  // namespace runahead::memory
