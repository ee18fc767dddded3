#include "core/report/comparison.h"

#include <gtest/gtest.h>

#include "core/report/labels.h"
#include "report_fixtures.h"

namespace runahead::report {
namespace {

std::vector<std::string> labels_of(const Comparison& comparison) {
  std::vector<std::string> labels;
  for (const Line& line : comparison.lines) labels.push_back(line.label);
  return labels;
}

TEST(Comparison, HasALineForEachPolicyWithTheMedianRunInFront) {
  const Runs runs = test::joined(test::repeats("a", "every_batch", {9.0, 11.0, 10.0}),
                                 test::repeats("b", "none", {5.0}));
  const std::vector<Comparison> found = compare(runs);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].title, "Memory growth and backlog while training, sync against async");
  EXPECT_EQ(found[0].subtitle,
            "acpu (1 worker, oldest_first) · MLP 512-2048-512-1 · 100 batches of 1024, made on "
            "host");
  EXPECT_EQ(found[0].slug, "memory");
  EXPECT_EQ(labels_of(found[0]),
            (std::vector<std::string>{"sync: waits after every batch (loss_value)",
                                      "async: never waits"}));
  EXPECT_EQ(found[0].lines[0].main().number("/time/total_seconds"), 10.0);
  EXPECT_EQ(found[0].lines[0].runs.size(), 3U);
}

TEST(Comparison, HasAChartForEachValueOfAnotherAxisWithASlugOfItsOwn) {
  Runs runs;
  for (const Json& value : {Json("a b"), Json("a/b"), Json({{"x", 1}})}) {
    Json record = test::cell_record("a", "none");
    record["axes"]["/data/kind"] = value;
    runs.push_back({.record = record});
  }
  const std::vector<Comparison> found = compare(runs);

  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].slug, "memory-kind-a-b");
  EXPECT_EQ(found[1].slug, "memory-kind-a-b-2");
  EXPECT_EQ(found[2].slug, "memory-kind-x-1");
  EXPECT_TRUE(found[2].subtitle.ends_with(" · kind x 1"));
}

TEST(Comparison, DistinguishesLinesOfOnePolicyByTheirAxes) {
  Runs runs;
  for (const int limit : {4, 8}) {
    Json record = test::some_record();
    record["axes"] = {{"/acpu/limit/operations", limit}};
    record["config"]["acpu"]["limit"] = {{"operations", limit}};
    runs.push_back({.record = record});
  }
  ASSERT_EQ(compare(runs).size(), 1U);
  EXPECT_EQ(labels_of(compare(runs)[0]),
            (std::vector<std::string>{"async: never waits, operations 4",
                                      "async: never waits, operations 8"}));
}

TEST(Comparison, OfTwoSweepsSharesChartsAndNamesTheSweepOfALine) {
  Runs runs = {{.record = test::cell_record("a", "none"), .source = "old"},
               {.record = test::cell_record("b", "none"), .source = "new"}};
  runs[1].record["config"]["batches"] = 60;

  ASSERT_EQ(compare(runs).size(), 1U);
  EXPECT_EQ(labels_of(compare(runs)[0]),
            (std::vector<std::string>{"old: async: never waits", "new: async: never waits"}));
}

TEST(Labels, AreThePolicysOwnAndTheNameOfOneThatIsNotKnown) {
  const std::pair<Json, std::pair<const char*, const char*>> cases[] = {
      {{{"policy", "every_n"}, {"n", 10}, {"wait", "all"}},
       {"waits every 10 batches (all)", "With a wait every 10 batches"}},
      {{{"policy", "window"}, {"batches", 2}},
       {"window of 2 batches", "With a window of 2 batches"}},
      {{{"policy", "budget"}, {"bytes", 268435456}},
       {"budget of 268 MB", "With a budget of 268 MB"}},
      {{{"policy", "adaptive"}, {"ceiling", "1GiB"}},
       {"adaptive, at most 1.07 GB", "With the adaptive policy"}},
      {{{"policy", "window"}, {"batches", "?"}}, {"window", "With the policy “window”"}},
      {{{"policy", "other"}}, {"other", "With the policy “other”"}},
      {nullptr, {"", "In this run"}}};
  for (const auto& [sync, expected] : cases) {
    EXPECT_EQ(sync_label(sync), expected.first);
    EXPECT_EQ(sync_phrase(sync), expected.second);
  }
}

}  // namespace
}  // namespace runahead::report
