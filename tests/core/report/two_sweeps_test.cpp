#include "core/report/two_sweeps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/two_sweeps_text.h"
#include "report_fixtures.h"

namespace runahead::report {
namespace {

using test::joined;
using test::repeats;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<double> kSteady{10.0, 10.1, 9.9};

/// How many runs of each cell of both there are, and how many cells are of one alone.
std::pair<std::vector<std::size_t>, std::size_t> pairs_of(const Runs& first, const Runs& second) {
  const CellPairs pairs = pair_cells(first, second);
  std::vector<std::size_t> counts;
  for (const CellPair& pair : pairs.both)
    counts.push_back(10 * pair.first.size() + pair.second.size());
  return {counts, pairs.alone.size()};
}

TEST(CellPairs, AreKnownByIdAndElseByAxesThatNameOneCell) {
  using Pairs = std::pair<std::vector<std::size_t>, std::size_t>;
  Runs other_axes = repeats("a", "none", {10.0, 11.0});
  for (OneRun& run : other_axes) run.record["axes"] = {{"/sync", {{"policy", "none"}}}};

  EXPECT_EQ(pairs_of(repeats("a", "none", kSteady), other_axes), (Pairs{{32}, 0}));
  EXPECT_EQ(pairs_of(repeats("a", "none", kSteady), repeats("b", "none", kSteady)),
            (Pairs{{33}, 0}));
  EXPECT_EQ(pairs_of(repeats("a", "none", kSteady),
                     joined(repeats("b", "none", {1.0}), repeats("a", "every_batch", {1.0, 2.0}))),
            (Pairs{{32}, 1}));
  EXPECT_EQ(pairs_of(joined(repeats("a", "none", kSteady), repeats("b", "none", kSteady)),
                     repeats("c", "none", kSteady)),
            (Pairs{{}, 3}));
  EXPECT_EQ(pairs_of(repeats("c", "none", kSteady),
                     joined(repeats("a", "none", kSteady), repeats("b", "none", kSteady))),
            (Pairs{{}, 3}));
}

TEST(CellPairs, OnlyRunsOfTheVersionThatWroteLastCount) {
  Runs runs = repeats("a", "none", {1.0, 2.0, 3.0, 4.0});
  runs[2].record["environment"]["runahead"] = "0.2.0";
  runs[3].record["environment"] = nullptr;
  runs[3].line = 1;
  std::vector<std::string> warnings;
  keep_one_version(runs, warnings);

  ASSERT_EQ(runs.size(), 2U);  // The last one, and the one that names none.
  EXPECT_EQ(runs[0].number("/time/total_seconds"), 3.0);
  EXPECT_THAT(warnings, ElementsAre(StartsWith("2 runs in ")));
}

TEST(CellPairs, FoldersAreCalledByTheEndsOfTheirPaths) {
  EXPECT_THAT(sources_of({"/x/old", "/x/new"}), ElementsAre("old", "new"));
  EXPECT_THAT(sources_of({"/x/a/runs", "/x/b/runs", "/x/b"}), ElementsAre("a/runs", "b/runs", "b"));
  EXPECT_THAT(sources_of({"/x", "/x/b"}), ElementsAre("/x", "/x/b"));
}

/// The headline of a comparison of runs that each take 10 s and of some that take `seconds`.
std::string headline_against(double seconds) {
  const Runs first = repeats("a", "none", {10.0, 10.0001, 9.9999});
  const Runs second = repeats("a", "none", {seconds, seconds + 0.0001, seconds - 0.0001});
  return headline(compare_sweeps(first, second));
}

TEST(TwoSweeps, NameChangesFromOnePercentOn) {
  EXPECT_THAT(headline_against(10.05), HasSubstr("no change beyond noise"));
  EXPECT_THAT(headline_against(10.5), HasSubstr("1 slower"));
}

}  // namespace
}  // namespace runahead::report
