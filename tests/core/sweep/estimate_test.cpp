#include "core/sweep/estimate.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace runahead::sweep {
namespace {

TEST(Estimate, IsRoundsOfRunsAtOnce) {
  config::SweepConfig sweep;
  sweep.timeout_seconds = 60.0;
  sweep.memory_limit_bytes = 1000;

  const Estimate found = estimate(sweep, 7, 3, 2.0);

  EXPECT_EQ(found.runs, 7U);
  EXPECT_EQ(found.seconds, 3 * 2.0);
  EXPECT_EQ(found.most_seconds, 3 * 60.0);
  EXPECT_EQ(found.most_memory_bytes, 3U * 1000U);
}

TEST(Estimate, CountsOnlyTheRunsThereAre) {
  config::SweepConfig sweep;
  sweep.memory_limit_bytes = 1000;

  EXPECT_EQ(estimate(sweep, 2, 8, 2.0).most_memory_bytes, 2U * 1000U);
  EXPECT_EQ(estimate(sweep, 2, 8, 2.0).seconds, 2.0);
  EXPECT_EQ(estimate(sweep, 0, 8, 2.0).seconds, 0.0);
}

TEST(Estimate, TellsNothingFromNothing) {
  const Estimate found = estimate(config::SweepConfig{}, 2, 1, std::nullopt);

  EXPECT_EQ(found.seconds, std::nullopt);
  EXPECT_EQ(found.most_seconds, std::nullopt);
  EXPECT_EQ(found.most_memory_bytes, std::nullopt);
  EXPECT_THROW(static_cast<void>(estimate(config::SweepConfig{}, 2, 0, 1.0)), UsageError);
}

}  // namespace
}  // namespace runahead::sweep
