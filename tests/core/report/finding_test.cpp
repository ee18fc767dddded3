#include "core/report/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

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

/// The repeats of one line, by their total times and their growths in MB.
Runs line_of(const Json& sync, double batches, const std::vector<double>& seconds,
             const std::vector<double>& grown) {
  Runs runs = test::repeats(sync["policy"], sync["policy"], seconds);
  for (std::size_t repeat = 0; repeat < runs.size(); ++repeat) {
    Json& record = runs[repeat].record;
    record["config"]["sync"] = sync;
    record["memory"]["rss_growth_bytes"] = grown[repeat] * 1e6;
    record["backlog"]["batches_peak"] = batches;
  }
  return runs;
}

/// Repeats whose total times differ less between the lines than within them.
Runs noisy_lines() {
  const Json window = {{"policy", "window"}, {"batches", 2}};
  return test::joined(line_of(window, 3, {6.11, 1.41, 6.57}, {215, 215, 215}),
                      line_of({{"policy", "none"}}, 2, {1.30, 2.33, 1.38}, {215, 215, 215}));
}

/// Repeats without a wait, and with one after every batch.
Runs two_repeated(const std::vector<double>& seconds, const std::vector<double>& other_seconds,
                  const std::vector<double>& grown, const std::vector<double>& other) {
  return test::joined(line_of({{"policy", "none"}}, 97, seconds, grown),
                      line_of({{"policy", "every_batch"}}, 1, other_seconds, other));
}

Runs at_batch_size(int size, Runs runs) {
  for (OneRun& run : runs) {
    run.record["axes"]["/data/batch_size"] = size;
    run.record["config"]["data"]["batch_size"] = size;
  }
  return runs;
}

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

TEST(Verdict, NamesNoChangeThatTheRepeatsDoNotShow) {
  EXPECT_EQ(
      verdict_of(noisy_lines()),
      "A window of 2 batches changed memory by less than 1.00 MB and the time by no more than "
      "noise, against no wait (medians of 3 repeats).");
  EXPECT_EQ(
      verdict_of(two_repeated({5, 9, 7}, {8, 6, 7.5}, {0, 90, 5}, {80, 1, 100})),
      "Not waiting changed memory and the time by no more than noise (medians of 3 repeats).");
  EXPECT_EQ(verdict_of(two_repeated({9}, {8, 10}, {148}, {29, 30})),
            "Not waiting cost 118 MB more memory and changed the time by no more than noise "
            "(medians of 1 to 2 repeats).");
}

TEST(Verdict, SpeaksOfMediansIfTheRepeatsAreApart) {
  EXPECT_EQ(
      verdict_of(two_repeated({8.8, 9.0, 8.9}, {10.0, 10.2, 10.1}, {148, 150, 149}, {29, 31, 30})),
      "Not waiting cost 119 MB more memory and saved 12 % of the time (medians of 3 "
      "repeats).");
  EXPECT_EQ(verdict_of(two_repeated({8.0, 8.2}, {10.0, 10.2}, {148, 150}, {0, 0})),
            "Not waiting cost 149 MB more memory and saved 20 % of the time (medians of 2 "
            "repeats).");
}

TEST(Verdict, LeavesOutRunsThatAreNotOkUnlessThereAreNoOthers) {
  Runs runs = two_repeated({8.8, 0.1, 9.0}, {10.0, 10.2, 10.1}, {148, 1, 150}, {29, 31, 30});
  runs[1].record["status"] = "crashed";
  EXPECT_EQ(verdict_of(runs),
            "Not waiting cost 119 MB more memory and saved 12 % of the time (medians of 2 to 3 "
            "repeats).");
  for (OneRun& run : runs) run.record["status"] = "out_of_memory";
  EXPECT_EQ(verdict_of(runs),
            "Not waiting changed memory by no more than noise (medians of 3 repeats).");
}

TEST(Verdict, NamesTheOneComparisonThatItIsAbout) {
  const Runs apart = at_batch_size(
      128, two_repeated({8.8, 9.0, 8.9}, {10.0, 10.2, 10.1}, {148, 150, 149}, {29, 31, 30}));
  const Runs noisy =
      at_batch_size(64, two_repeated({5, 9, 7}, {8, 6, 7.5}, {148, 150, 149}, {29, 31, 30}));
  const Runs alone = at_batch_size(64, line_of({{"policy", "none"}}, 97, {5}, {148}));
  EXPECT_EQ(verdict_of(test::joined(apart, noisy)),
            "In 2 comparisons, not waiting cost 119 MB more memory and saved 12 % of the time at "
            "batch size 128 (elsewhere no more than noise) (medians of 3 repeats).");
  const Runs runs = test::joined(apart, alone);
  const std::vector<Comparison> found = compare(runs);
  EXPECT_EQ(verdict(found),
            "At batch size 128, not waiting cost 119 MB more memory and saved 12 % of the time "
            "(medians of 3 repeats).");
  EXPECT_EQ(verdict(std::span(found).first(1)),
            "Not waiting cost 119 MB more memory and saved 12 % of the time (medians of 3 "
            "repeats).");
}

TEST(Headline, SaysWhatIsNoise) {
  EXPECT_EQ(headline(compare(noisy_lines()).front()),
            "With a window of 2 batches the front end finished issuing after 260 ms; up to 3 "
            "batches were in flight; their inputs held 204 MB. The process grew by 215 MB, about "
            "as much as without a wait (215 MB), in the same time within noise (medians of 3 "
            "repeats).");
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
  const Line line{.runs = {&run}};
  EXPECT_EQ(sentence(line),
            "the last batch was issued after 260 ms, and everything had run after 12.2 s; up to 97 "
            "batches were in flight, whose inputs held 204 MB; the process grew by 215 MB");
  run.record = {{"status", "crashed"}, {"time", "soon"}};
  EXPECT_EQ(sentence(line), "ended as crashed");
  run.record = Json::object();
  EXPECT_EQ(sentence(line), "ended as unknown");
}

TEST(Sentence, IsAboutMediansAndSaysWhichRepeatIsShown) {
  const Runs runs = line_of({{"policy", "none"}}, 97, {9.0, 11.0, 10.0, 10.4}, {1, 2, 3, 5});
  EXPECT_EQ(
      sentence(compare(runs).front().lines.front()),
      "the last batch was issued after 260 ms, and everything had run after 10.2 s; up to 97 "
      "batches were in flight, whose inputs held 204 MB; the process grew by 2.50 MB (medians "
      "of 4 repeats; repeat 2 stands for the 4 in charts and tables)");
}

TEST(States, AreCountedTheMostFrequentFirst) {
  Runs runs(3, OneRun{.record = {{"status", "ok"}}});
  runs.insert(runs.begin(), OneRun{.record = {{"status", "crashed"}}});

  EXPECT_EQ(overview(runs), "4 runs: 3 ok, 1 crashed.");
}

}  // namespace
}  // namespace runahead::report
