#include "core/reproduce/growth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measured_fixtures.h"

namespace runahead::reproduce {
namespace {

using test::record_with;
using ::testing::HasSubstr;

constexpr double kInputBytes = 64 * 8 * 4;  // A batch's.
const RunPair kRuns{"short", "long"};

record::Record run_of(int batches) {
  return record_with(Json::object(), {{"experiment", "train"},
                                      {"batches", batches},
                                      {"data", {{"batch_size", 64}, {"features", 8}}}});
}

/// 10 and 20 batches; each of the latter ten raises the peak by so many batches' inputs.
Measured counted(double inputs_a_batch) {
  Measured measured;
  record::Record few = run_of(10);
  few.results["occupied_peak_bytes"] = 1e6;
  measured.add("short", few);
  record::Record many = run_of(20);
  many.results["occupied_peak_bytes"] = 1e6 + 10 * inputs_a_batch * kInputBytes;
  measured.add("long", many);
  return measured;
}

TEST(PeakGrows, FromHalfABatchsInputsOn) {
  EXPECT_EQ(peak_grows(kRuns)(counted(0.5)).holds, true);
  EXPECT_EQ(peak_grows(kRuns)(counted(0.4)).holds, false);
  EXPECT_EQ(peak_grows(kRuns)(counted(-1.0)).holds, false);
}

TEST(PeakIsConstant, UpToATenthOfABatchsInputs) {
  EXPECT_EQ(peak_is_constant(kRuns)(counted(0.1)).holds, true);
  EXPECT_EQ(peak_is_constant(kRuns)(counted(-0.3)).holds, true);
  EXPECT_EQ(peak_is_constant(kRuns)(counted(0.2)).holds, false);
}

TEST(PeakGrows, TakesRssWhereTheDeviceDoesNotCount) {
  Measured measured;
  record::Record few = run_of(10);
  few.memory.rss_growth_bytes = 1'000'000;
  measured.add("short", few);
  record::Record many = run_of(20);
  many.memory.rss_growth_bytes = 1'000'000 + static_cast<std::uint64_t>(10 * kInputBytes);
  measured.add("long", many);

  const Finding finding = peak_grows(kRuns)(measured);
  EXPECT_EQ(finding.holds, true);
  EXPECT_THAT(finding.measured, HasSubstr("RSS growth"));
  EXPECT_EQ(finding.values["counted"], false);
}

TEST(PeakGrows, IsNotMeasuredWithoutBothRuns) {
  Measured measured;
  record::Record few = run_of(10);
  few.results["occupied_peak_bytes"] = 1e6;
  measured.add("short", few);

  EXPECT_EQ(peak_grows(kRuns)(measured).holds, std::nullopt);
  EXPECT_EQ(peak_grows(kRuns)({}).holds, std::nullopt);
}

TEST(GrowthIsLeftInTheEnd, FromHalfOfItOn) {
  const auto found = [](std::uint64_t end_megabytes, std::uint64_t growth_megabytes = 50) {
    record::Record record = run_of(10);
    record.memory.rss_baseline_bytes = 100'000'000;
    record.memory.rss_growth_bytes = growth_megabytes * 1'000'000;
    record.memory.rss_end_bytes = end_megabytes * 1'000'000;
    Measured measured;
    measured.add("run", record);
    return growth_is_left_in_the_end("run")(measured).holds;
  };

  EXPECT_EQ(found(125), true);
  EXPECT_EQ(found(120), false);
  EXPECT_EQ(found(90), false);
  EXPECT_EQ(found(100, 0), std::nullopt) << "nothing had grown";
}

}  // namespace
}  // namespace runahead::reproduce
