#include "core/report/two_sweeps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/two_sweeps_text.h"
#include "report_fixtures.h"

namespace runahead::report {
namespace {

using test::joined;
using test::repeats;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::vector<double> kSteady{10.0, 10.1, 9.9};
const std::vector<double> kSlower{14.0, 14.2, 13.9};

Runs named(Runs runs, const std::string& source) {
  for (OneRun& run : runs) run.source = source;
  return runs;
}

/// Two sweeps, which own their runs.
class Sweeps {
 public:
  Sweeps(const Runs& first, const Runs& second)
      : first_(named(first, "old")), second_(named(second, "new")) {}

  [[nodiscard]] const TwoSweeps& operator*() const { return two_; }
  [[nodiscard]] const TwoSweeps* operator->() const { return &two_; }

 private:
  Runs first_;
  Runs second_;
  TwoSweeps two_ = compare_sweeps(first_, second_);
};

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

TEST(CellPairs, WarnOfConfigsThatDifferWithBothValues) {
  Runs first = repeats("a", "none", {1.0});
  Runs second = first;
  second[0].record["config"]["batches"] = 60;
  second[0].record["config"]["model"]["x"] = 1;
  std::vector<std::string> warnings;
  warn_of_differences(pair_cells(first, second).both, "old", "new", warnings);

  EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("/batches (100 in old, 60 in new)"),
                                          HasSubstr("/model/x (missing in old, 1 in new)"))));
  warn_of_differences(pair_cells(first, first).both, "old", "new", warnings);
  EXPECT_EQ(warnings.size(), 1U);
}

TEST(CellPairs, FoldersAreCalledByTheEndsOfTheirPaths) {
  EXPECT_THAT(sources_of({"/x/old", "/x/new"}), ElementsAre("old", "new"));
  EXPECT_THAT(sources_of({"/x/a/runs", "/x/b/runs", "/x/b"}), ElementsAre("a/runs", "b/runs", "b"));
  EXPECT_THAT(sources_of({"/x", "/x/b"}), ElementsAre("/x", "/x/b"));
}

TEST(TwoSweeps, NameWhatBecameSlowerAndHowMuch) {
  const Sweeps two(joined(repeats("a", "none", kSteady), repeats("b", "every_batch", kSteady)),
                   joined(repeats("a", "none", kSlower), repeats("b", "every_batch", kSteady)));

  EXPECT_EQ(headline(*two), "new against old, 2 cells: 1 slower.");
  EXPECT_THAT(sentences(*two),
              Contains("total time, slower (1): policy none 10.0 s → 14.0 s (+40 %, 3 repeats "
                       "each: +37 % to +44 %)"));
  EXPECT_THAT(to_text(*two), HasSubstr("\npolicy none         total time  10.0 s  14.0 s       "
                                       "+40 %    3 repeats each: +37 % to +44 %\n"));
  EXPECT_THAT(to_markdown(*two), HasSubstr("- total time, slower (1)"));
}

TEST(TwoSweeps, NameNeitherNoiseNorTrifles) {
  const Sweeps noise(repeats("a", "none", {10.0, 11.0, 9.0}),
                     repeats("a", "none", {10.5, 9.4, 11.2}));
  const Sweeps trifle(repeats("a", "none", {10.0, 10.0001, 9.9999}),
                      repeats("a", "none", {10.05, 10.0501, 10.0499}));
  const Sweeps single(repeats("a", "none", {20.0}), repeats("a", "none", {28.5}));

  EXPECT_EQ(headline(*noise), "new against old, 1 cell: no change beyond noise.");
  EXPECT_EQ(headline(*trifle), "new against old, 1 cell: no change beyond noise.");
  EXPECT_THAT(headline(*single), HasSubstr("differences may be noise"));
  EXPECT_THAT(to_markdown(*single), HasSubstr("| policy none | total time | 20.0 s | 28.5 s |      "
                                              "+43 % | 1 repeat each: may be noise |"));
}

TEST(TwoSweeps, NameAChangeThatOnlyAllCellsTogetherShow) {
  const auto sweep = [](const std::vector<double>& scales) {
    Runs runs;
    const std::vector<std::string> policies{"none", "every_batch", "window", "adaptive"};
    for (std::size_t cell = 0; cell < policies.size(); ++cell) {
      runs = joined(runs, repeats(policies[cell], policies[cell],
                                  {10.0 * scales[cell], 14.0 * scales[cell]}));
    }
    return runs;
  };
  const Sweeps faster(sweep({1.0, 1.0, 1.0, 1.0}), sweep({0.80, 0.82, 0.85, 0.79}));
  const Sweeps mixed(sweep({1.0, 1.0, 1.0, 1.0}), sweep({0.80, 1.22, 0.85, 1.19}));

  EXPECT_EQ(headline(*faster),
            "new against old, 4 cells: no cell changed beyond noise, all together did: "
            "total time -19 %.");
  EXPECT_EQ(headline(*mixed), "new against old, 4 cells: no change beyond noise.");
}

TEST(TwoSweeps, NameMemoryOnlyFromAMegabyteOn) {
  const auto grown = [](double bytes) {
    Runs runs = repeats("a", "none", kSteady);
    for (OneRun& run : runs) run.record["memory"]["rss_growth_bytes"] = bytes += 1000.0;
    return runs;
  };
  EXPECT_THAT(headline(*Sweeps(grown(1e6), grown(1.5e6))), HasSubstr("no change"));
  EXPECT_THAT(headline(*Sweeps(grown(10e6), grown(15e6))), HasSubstr("1 larger"));
  EXPECT_THAT(headline(*Sweeps(grown(15e6), grown(10e6))), HasSubstr("1 smaller"));
}

TEST(TwoSweeps, NameCellsWhoseStateChangedOrThatHaveNoPartner) {
  Runs broken = repeats("a", "none", kSteady);
  broken[1].record["status"] = "crashed";
  const Sweeps two(joined(repeats("a", "none", kSteady), repeats("b", "every_batch", kSteady)),
                   joined(broken, repeats("c", "window", kSteady)));

  EXPECT_THAT(headline(*two), HasSubstr("; 1 no longer ok."));
  EXPECT_THAT(sentences(*two),
              AllOf(Contains("no longer ok (1): policy none, 3 ok, then 2 ok, 1 crashed"),
                    Contains("only in old (1): policy every_batch"),
                    Contains("only in new (1): policy window")));
  EXPECT_EQ(table_of(*two).rows.at(0).kind, "not-ok");
}

TEST(TwoSweeps, AreRawNumbersInCsvAndHaveEmptyFieldsForWhatIsMissing) {
  const Sweeps two(repeats("a", "none", {10.0}),
                   joined(repeats("a", "none", {15.0}), repeats("c", "window", {1.0})));
  const std::string csv = to_csv(*two);

  EXPECT_THAT(csv, StartsWith("/sync/policy,states_first,states_second,issue_seconds_first_median,"
                              "issue_seconds_first_count,"));
  EXPECT_THAT(csv, HasSubstr("\nnone,1 ok,1 ok,0.26,1,0.26,1,1,,,,10,1,15,1,1.49"));
  EXPECT_THAT(csv, HasSubstr("\nwindow,,1 ok,,0,0.26,1,,,,,,0,1,1,,,,,"));
}

TEST(TwoSweeps, GiveChartsTheirRatiosAndIntervals) {
  const Sweeps two(repeats("a", "none", kSteady), repeats("a", "none", kSlower));
  const Json document = to_json(*two);
  const Json& total = document["figures"][1];

  EXPECT_EQ(total["name"], "total_seconds");
  EXPECT_EQ(total["more"], "slower");
  EXPECT_EQ(total["cells"][0]["change"], "slower");
  EXPECT_EQ(total["cells"][0]["is_worse"], true);
  EXPECT_LT(total["cells"][0]["lower"], total["cells"][0]["ratio"]);
  EXPECT_TRUE(document["figures"][0]["cells"][0]["lower"].is_null());  // Nothing scatters.
}

}  // namespace
}  // namespace runahead::report
