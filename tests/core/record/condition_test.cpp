#include "core/record/condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace runahead::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What a record of 3 GB, 1.5 s, a loss of 0.125 and a result fails.
std::string failure(const std::string& condition) {
  Record record;
  record.memory.rss_peak_bytes = 3'000'000'000;
  record.time.total_seconds = 1.5;
  record.loss.last = 0.125;
  record.results = {{"dispatch", {{"copy_seconds", {{"median", 0.002}}}}}};
  const std::vector<std::string> failures = failures_of({parse_condition(condition)}, record);
  return failures.empty() ? "" : failures.front().substr(failures.front().rfind("': ") + 3);
}

TEST(Condition, SaysByHowMuchAFigurePassesItsBound) {
  EXPECT_EQ(failure("memory.rss_peak_bytes > 2GB"), "it is 3.00 GB, 1.00 GB (50.0 %) above");
  EXPECT_EQ(failure("rss_peak_bytes>2GB"), "it is 3.00 GB, 1.00 GB (50.0 %) above");
  EXPECT_EQ(failure("/memory/rss_peak_bytes >= 3000000000"), "it is 3.00 GB, the bound itself");
  EXPECT_EQ(failure("rss_peak_bytes > 1MB"), "it is 3.00 GB, 3.00 GB (299,900 %) above");
  EXPECT_EQ(failure("total_seconds < 2s"), "it is 1.50 s, 500 ms (25.0 %) below");
  EXPECT_EQ(failure("time.total_seconds <= 1500ms"), "it is 1.50 s, the bound itself");
  EXPECT_EQ(failure("loss_last > -1"), "it is 0.125, 1.12 (112 %) above");
  EXPECT_EQ(failure("results.dispatch.copy_seconds.median > 1ms"),
            "it is 2.00 ms, 1.00 ms (100 %) above");
  for (const char* condition : {"rss_peak_bytes > 3GB", "rss_peak_bytes < 3GB",
                                "total_seconds >= 1.6", "total_seconds <= 1.4"}) {
    EXPECT_EQ(failure(condition), "");
  }
}

TEST(Condition, CountsAFigureThatWasNotMeasuredAsFailed) {
  for (const char* condition : {"batches_peak > 1", "memory.cuda.allocated_peak_bytes < 1GB"}) {
    EXPECT_EQ(failure(condition), "it was not measured, which counts as a failure");
  }
}

TEST(Condition, CountsALossThatIsNotFiniteAsFailed) {
  record::Record record;
  record.loss = {.first = 0.5, .last = std::numeric_limits<double>::quiet_NaN(), .finite = false};
  const auto failures = failures_of(parse_conditions({"loss.last > 1", "loss.first > 1"}), record);
  EXPECT_THAT(failures, ElementsAre(HasSubstr("it is not finite, which counts as a failure")));
}

}  // namespace
}  // namespace runahead::record
