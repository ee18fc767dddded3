#include "core/report/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report_fixtures.h"

namespace runahead::report {
namespace {

TEST(Finding, NamesWaitTimeBacklogAndEnd) {
  const Json cases = read_json_file(RUNAHEAD_FINDINGS);
  ASSERT_FALSE(cases.empty());
  for (const Json& one : cases) {
    EXPECT_EQ(finding(one["record"]), one["sentence"].get<std::string>());
  }
}

TEST(Finding, IsEmptyForARunWithoutBatches) { EXPECT_EQ(finding(Json::object()), ""); }

/// The headline of two lines, whose growths in MB and total times are given.
std::string headline_of(double grown, double other, double seconds, double other_seconds,
                        const std::string& source = "") {
  Runs runs = {{.record = test::cell_record("a", "none"), .source = source},
               {.record = test::cell_record("b", "every_batch"), .source = source}};
  runs[0].record["memory"]["rss_growth_bytes"] = grown * 1e6;
  runs[1].record["memory"]["rss_growth_bytes"] = other * 1e6;
  runs[0].record["time"]["total_seconds"] = seconds;
  runs[1].record["time"]["total_seconds"] = other_seconds;
  runs[1].record["backlog"]["batches_peak"] = 1;
  return headline(compare(runs).front());
}

TEST(Headline, ComparesTheLineThatRanAheadFurthestWithTheOneThatDidLeast) {
  const std::string start =
      "Without a wait the front end finished issuing after 260 ms; 97 batches were in flight; "
      "their inputs held 204 MB. The process grew by 148 MB";
  EXPECT_EQ(headline_of(148, 25, 10, 10.1),
            start +
                ", 5.92 times as much as with a wait after every batch (25.0 MB), in about the "
                "same time.");
  EXPECT_EQ(headline_of(148, 150, 12, 10),
            start +
                ", about as much as with a wait after every batch (150 MB), in 1.20 times its "
                "time.");
  EXPECT_EQ(headline_of(148, 200, 10, 0), start + "; with a wait after every batch by 200 MB.");
}

TEST(Headline, NamesTheSweepWhereTwoAreCompared) {
  EXPECT_THAT(headline_of(148, 25, 10, 10, "new"),
              ::testing::StartsWith("In new without a wait the front end"));
}

TEST(Sentence, LeavesOutWhatWasNotMeasured) {
  OneRun run{.record = test::some_record()};
  EXPECT_EQ(sentence(run),
            "the last batch was issued after 260 ms, and everything had run after 12.2 s; up to 97 "
            "batches were in flight, whose inputs held 204 MB; the process grew by 215 MB");
  run.record = {{"status", "crashed"}, {"time", "soon"}};
  EXPECT_EQ(sentence(run), "ended as crashed");
  EXPECT_EQ(sentence({}), "ended as unknown");
}

TEST(States, AreCountedTheMostFrequentFirst) {
  Runs runs(3, OneRun{.record = {{"status", "ok"}}});
  runs.insert(runs.begin(), OneRun{.record = {{"status", "crashed"}}});

  EXPECT_EQ(overview(runs), "4 runs: 3 ok, 1 crashed.");
}

}  // namespace
}  // namespace runahead::report
