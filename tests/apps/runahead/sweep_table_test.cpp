#include "apps/runahead/sweep_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::apps {
namespace {

using sweep::CellSummary;
using ::testing::HasSubstr;

TEST(SweepTable, ShowsAxesStatusAndFigures) {
  const CellSummary summary{.axes = {{"/sync/policy", "none"}, {"/data/batch_size", 256}},
                            .status = "ok",
                            .issue_seconds = spread_of({0.26}),
                            .total_seconds = spread_of({12.2}),
                            .rss_growth_bytes = spread_of({215e6}),
                            .batches_peak = spread_of({100}),
                            .held_peak_bytes = spread_of({209'715'200}),
                            .loss_last = spread_of({0.00412345})};

  EXPECT_EQ(sweep_table({summary}),
            "sync/policy  data/batch_size  status  issue s  total s  RSS growth MB  "
            "batches in flight  held MB  final loss\n"
            "-----------  ---------------  ------  -------  -------  -------------  "
            "-----------------  -------  ----------\n"
            "none         256              ok        0.260   12.200          215.0  "
            "              100    209.7  0.00412345\n");
}

TEST(SweepTable, ShowsTheRangeOverRepeats) {
  const CellSummary summary{.status = "ok", .total_seconds = spread_of({2.0, 1.0, 4.0})};

  EXPECT_THAT(sweep_table({summary}), HasSubstr("2.000 (1.000 to 4.000)"));
}

TEST(SweepTable, ShowsWhatWasNotMeasuredAsADash) {
  const CellSummary summary{.status = "crashed"};

  EXPECT_THAT(sweep_table({summary}), HasSubstr("crashed        -        -"));
}

TEST(DescribeAxes, IsOneLine) {
  EXPECT_EQ(describe_axes({{"/sync/policy", "none"}, {"/acpu/limit", {{"operations", 4}}}}),
            R"(sync/policy=none acpu/limit={"operations":4})");
}

}  // namespace
}  // namespace runahead::apps
