#include "core/report/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/verdict.h"
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

TEST(Finding, SaysHowFarAnInterruptedRunCame) {
  const Json record = {{"status", "interrupted"},
                       {"time", {{"total_seconds", 1.65}}},
                       {"config", {{"batches", 100'000}}},
                       {"results", {{"batches_issued", 96}, {"batches_finished", 95}}}};
  EXPECT_EQ(finding(record),
            "Interrupted after 1.65 s: 96 of 100,000 batches issued, 95 finished.");
}

TEST(Finding, IsEmptyForARunWithoutBatches) { EXPECT_EQ(finding(Json::object()), ""); }

/// Two lines, whose growths in MB and total times are given.
Runs two_lines(double grown, double other, double seconds, double other_seconds) {
  Runs runs = {{.record = test::cell_record("a", "none")},
               {.record = test::cell_record("b", "every_batch")}};
  runs[0].record["memory"]["rss_growth_bytes"] = grown * 1e6;
  runs[1].record["memory"]["rss_growth_bytes"] = other * 1e6;
  runs[0].record["time"]["total_seconds"] = seconds;
  runs[1].record["time"]["total_seconds"] = other_seconds;
  runs[1].record["backlog"]["batches_peak"] = 1;
  return runs;
}

std::string headline_of(double grown, double other, double seconds, double other_seconds) {
  return headline(compare(two_lines(grown, other, seconds, other_seconds)).front());
}

std::string verdict_of(const Runs& runs) { return verdict(compare(runs)); }

TEST(Verdict, SaysWhatRunningAheadCostAndSaved) {
  const auto of_two = [](auto... figures) { return verdict_of(two_lines(figures...)); };
  EXPECT_EQ(of_two(148, 29, 8.9, 10),
            "Not waiting cost 119 MB more memory and saved 11 % of the time.");
  EXPECT_EQ(of_two(148, 29, 12, 10), "Not waiting cost 119 MB more memory and 20 % more time.");
  EXPECT_EQ(of_two(29, 29.5, 9.9, 10),
            "Not waiting changed memory by less than 1.00 MB and the time by less than 5 %.");
  EXPECT_EQ(of_two(29, 40, 9, 0), "Not waiting saved 11.0 MB of memory.");
}

TEST(Verdict, NamesOtherPoliciesAndSpansComparisons) {
  Runs runs = two_lines(148, 29, 8.9, 10);
  runs[1].record["config"]["sync"] = {{"policy", "window"}, {"batches", 2}};
  EXPECT_EQ(verdict_of(runs),
            "Not waiting cost 119 MB more memory and saved 11 % of the time, against a window of 2 "
            "batches.");
  Runs more = two_lines(40, 30, 7.5, 10);
  for (OneRun& run : more) run.record["config"]["batches"] = 7;
  EXPECT_EQ(verdict_of(test::joined(two_lines(148, 29, 8.9, 10), more)),
            "In 2 comparisons, not waiting cost 10.0 MB to 119 MB more memory and saved 11 % to 25 "
            "% of the time.");
  EXPECT_EQ(verdict({}), "");
}

TEST(Headline, ComparesTheLineThatRanAheadFurthestWithTheOneThatDidLeast) {
  const std::string start =
      "Without a wait the front end finished issuing after 260 ms; up to 97 batches were in "
      "flight; their inputs held 204 MB. The process grew by 148 MB";
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

TEST(Headline, ComparesLinesOfOneSweepOnly) {
  Runs runs = {{.record = test::cell_record("a", "every_batch"), .source = "old"},
               {.record = test::cell_record("b", "none"), .source = "new"},
               {.record = test::cell_record("a", "every_batch"), .source = "new"}};
  runs[0].record["backlog"]["batches_peak"] = 1;
  runs[2].record["backlog"]["batches_peak"] = 2;
  runs[2].record["memory"]["rss_growth_bytes"] = 100e6;
  EXPECT_EQ(
      headline(compare(runs).front()),
      "In old with a wait after every batch the front end finished issuing after 260 ms; "
      "up to 1 batch was in flight; its inputs held 204 MB. "
      "In new without a wait the front end finished issuing after 260 ms; up to 97 batches were "
      "in flight; their inputs held 204 MB. The process grew by 215 MB, 2.15 times as much as "
      "with a wait after every batch (100 MB), in about the same time.");
}

TEST(Headline, LeavesOutRunsThatSharedCpus) {
  Runs runs = {{.record = test::cell_record("a", "none")},
               {.record = test::cell_record("b", "every_batch")}};
  runs[0].record["environment"]["cpus_shared"] = true;
  EXPECT_EQ(headline(compare(runs).front()),
            "With a wait after every batch the front end finished issuing after 260 ms; up to 97 "
            "batches were in flight; their inputs held 204 MB. 1 line is left out, because its run "
            "shared "
            "CPUs with others.");
  runs[1].record["environment"]["cpus_shared"] = true;
  EXPECT_EQ(headline(compare(runs).front()), "No finding: all runs shared CPUs with others.");
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
