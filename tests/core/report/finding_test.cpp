#include "core/report/finding.h"

#include <gtest/gtest.h>

#include <span>

#include "core/report/verdict.h"
#include "report_fixtures.h"
#include "support/golden.h"

namespace runahead::report {
namespace {

TEST(Finding, NamesWaitTimeBacklogAndEnd) {
  const Json cases = read_json_file(RUNAHEAD_FINDINGS_FOLDER "/findings.json");
  ASSERT_FALSE(cases.empty());
  for (const Json& one : cases) {
    EXPECT_EQ(finding(one["record"]), one["sentence"].get<std::string>());
  }
}

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

std::string headline_of(const Runs& runs) { return headline(compare(runs).front()); }

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

using Sentences = std::vector<std::pair<const char*, std::string>>;

Runs apart() {
  return two_repeated({8.8, 9.0, 8.9}, {10.0, 10.2, 10.1}, {148, 150, 149}, {29, 31, 30});
}

Sentences verdicts_on_two_lines() {
  Runs window = two_lines(148, 29, 8.9, 10);
  window[1].record["config"]["sync"] = {{"policy", "window"}, {"batches", 2}};
  Runs more = two_lines(40, 30, 7.5, 10);
  for (OneRun& run : more) run.record["config"]["batches"] = 7;
  return {{"costs memory and saves time", verdict_of(two_lines(148, 29, 8.9, 10))},
          {"costs memory and time", verdict_of(two_lines(148, 29, 12, 10))},
          {"changes little", verdict_of(two_lines(29, 29.5, 9.9, 10))},
          {"saves memory; no time", verdict_of(two_lines(29, 40, 9, 0))},
          {"against a window", verdict_of(window)},
          {"two comparisons", verdict_of(test::joined(two_lines(148, 29, 8.9, 10), more))}};
}

Sentences verdicts_on_repeats() {
  Runs crashed = two_repeated({8.8, 0.1, 9.0}, {10.0, 10.2, 10.1}, {148, 1, 150}, {29, 31, 30});
  crashed[1].record["status"] = "crashed";
  Runs none_ok = crashed;
  for (OneRun& run : none_ok) run.record["status"] = "out_of_memory";
  const Runs large = at_batch_size(128, apart());
  const Runs noisy =
      at_batch_size(64, two_repeated({5, 9, 7}, {8, 6, 7.5}, {148, 150, 149}, {29, 31, 30}));
  const Runs with_one_alone =
      test::joined(large, at_batch_size(64, line_of({{"policy", "none"}}, 97, {5}, {148})));
  const std::vector<Comparison> found = compare(with_one_alone);
  return {
      {"noise of other policies", verdict_of(noisy_lines())},
      {"noise of both", verdict_of(two_repeated({5, 9, 7}, {8, 6, 7.5}, {0, 90, 5}, {80, 1, 100}))},
      {"noise of time", verdict_of(two_repeated({9}, {8, 10}, {148}, {29, 30}))},
      {"repeats are apart", verdict_of(apart())},
      {"two repeats", verdict_of(two_repeated({8.0, 8.2}, {10.0, 10.2}, {148, 150}, {0, 0}))},
      {"one crashed", verdict_of(crashed)},
      {"none is ok", verdict_of(none_ok)},
      {"one of two comparisons", verdict_of(test::joined(large, noisy))},
      {"the other has no partner", verdict(found)},
      {"of the first comparison alone", verdict(std::span(found).first(1))}};
}

Sentences headlines() {
  Runs sweeps = {{.record = test::cell_record("a", "every_batch"), .source = "old"},
                 {.record = test::cell_record("b", "none"), .source = "new"},
                 {.record = test::cell_record("a", "every_batch"), .source = "new"}};
  sweeps[0].record["backlog"]["batches_peak"] = 1;
  sweeps[2].record["backlog"]["batches_peak"] = 2;
  sweeps[2].record["memory"]["rss_growth_bytes"] = 100e6;
  Runs shared = {{.record = test::cell_record("a", "none")},
                 {.record = test::cell_record("b", "every_batch")}};
  shared[0].record["environment"]["cpus_shared"] = true;
  Runs all_shared = shared;
  all_shared[1].record["environment"]["cpus_shared"] = true;
  return {{"noise", headline_of(noisy_lines())},
          {"more memory", headline_of(two_lines(148, 25, 10, 10.1))},
          {"more time", headline_of(two_lines(148, 150, 12, 10))},
          {"less memory; no time", headline_of(two_lines(148, 200, 10, 0))},
          {"two sweeps", headline_of(sweeps)},
          {"one shared CPUs", headline_of(shared)},
          {"all shared CPUs", headline_of(all_shared)}};
}

Sentences sentences() {
  const Runs repeated = line_of({{"policy", "none"}}, 97, {9.0, 11.0, 10.0, 10.4}, {1, 2, 3, 5});
  OneRun whole{.record = test::some_record()};
  OneRun crashed{.record = {{"status", "crashed"}, {"time", "soon"}}};
  OneRun unknown{.record = Json::object()};
  return {{"whole", sentence({.runs = {&whole}})},
          {"crashed", sentence({.runs = {&crashed}})},
          {"unknown", sentence({.runs = {&unknown}})},
          {"of medians", sentence(compare(repeated).front().lines.front())}};
}

TEST(Findings, AreThoseOfTheGoldenFile) {
  std::string text;
  const auto add = [&text](const std::string& kind, const Sentences& all) {
    for (const auto& [name, said] : all) text += kind + ", " + name + ":\n  " + said + "\n";
  };
  add("verdict", verdicts_on_two_lines());
  add("verdict", verdicts_on_repeats());
  add("headline", headlines());
  add("sentence", sentences());

  EXPECT_EQ(verdict({}), "");
  ::runahead::test::expect_golden(RUNAHEAD_FINDINGS_FOLDER "/findings.txt", text);
}

TEST(States, AreCountedTheMostFrequentFirst) {
  Runs runs(3, OneRun{.record = {{"status", "ok"}}});
  runs.insert(runs.begin(), OneRun{.record = {{"status", "crashed"}}});

  EXPECT_EQ(overview(runs), "4 runs: 3 ok, 1 crashed.");
}

}  // namespace
}  // namespace runahead::report
