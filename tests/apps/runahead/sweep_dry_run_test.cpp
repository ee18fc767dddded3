#include "apps/runahead/sweep_dry_run.h"

#include <gtest/gtest.h>

namespace runahead::apps {
namespace {

TEST(SweepDryRun, ReportsWhatIsKnownOfWhatASweepTakes) {
  EXPECT_EQ(
      describe(sweep::Estimate{
          .runs = 6, .seconds = 90.0, .most_seconds = 9000.0, .most_memory_bytes = 16'000'000'000}),
      "6 runs left: about 90 s; at most 2.50 h, because of the timeout; at most 16.0 GB of memory "
      "at once");
  EXPECT_EQ(describe(sweep::Estimate{.runs = 6}),
            "6 runs left: no time estimate until one run has ended; no timeout set");
  EXPECT_EQ(describe(sweep::Estimate{}), "0 runs left: nothing to do");
}

TEST(SweepDryRun, ReportsTimesInTheUnitThatFits) {
  EXPECT_EQ(describe(sweep::Estimate{.runs = 1, .seconds = 0.25, .most_seconds = 180.0}),
            "1 run left: about 0.25 s; at most 180 s, because of the timeout");
}

}  // namespace
}  // namespace runahead::apps
