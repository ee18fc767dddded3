#include "apps/runahead/tune_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "apps/runahead/scatter_text.h"
#include "support/golden.h"

namespace runahead::apps {
namespace {

using sweep::Bound;
using sweep::SmallestFound;
using sweep::TuneCandidate;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kMebibyte = 1 << 20;

/// Ratios of all pairs; three of one value are a verdict.
TuneCandidate candidate(Bound bound, std::uint64_t value, const std::vector<double>& ratios) {
  TuneCandidate made{.bound = bound, .value = value, .ratio = sweep::PairedRatio(0.99)};
  for (const double ratio : ratios) {
    made.ratio.add(ratio, 1.0);
    ++made.runs.count;
    made.runs.examples_per_second.push_back(1000.0 * ratio);
    made.runs.peak_bytes.push_back(50e6);
    made.runs.growth_bytes.push_back(40e6);
  }
  return made;
}

class TuneReporting : public ::testing::Test {
 protected:
  TuneReporting() {
    result_.cells = 26;
    result_.none = {.count = 1,
                    .examples_per_second = {1000.0},
                    .seconds = {2.5},
                    .peak_bytes = {100e6},
                    .growth_bytes = {90e6}};
    result_.candidates = {candidate(Bound::kWindow, 1, {0.9, 0.9, 0.9}),
                          candidate(Bound::kWindow, 2, {1.0, 1.0, 1.0}),
                          candidate(Bound::kBytes, 47 * kMebibyte, {1.0, 1.0, 1.0})};
    result_.window = SmallestFound{.smallest = 2, .below_does_not = true};
    result_.bytes = SmallestFound{.smallest = 47 * kMebibyte};
  }

  [[nodiscard]] TuneReport report() const { return {.config = config_, .result = result_}; }
  [[nodiscard]] std::string text() const { return tune_text(report()); }

  /// A candidate on which noise allowed no verdict.
  static TuneCandidate open_candidate(std::uint64_t window) {
    std::vector<double> ratios;
    for (std::size_t pair = 0; pair < sweep::PairedRatio::kMostPairs; ++pair) {
      ratios.push_back(pair % 2 == 0 ? 0.8 : 1.2);
    }
    return candidate(Bound::kWindow, window, ratios);
  }

  config::ExperimentConfig config_{};
  sweep::TuneResult result_{};
};

TEST_F(TuneReporting, PrintsTheCandidatesTheChartAndTheConclusions) {
  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/tune.txt", text());
}

TEST_F(TuneReporting, GivesLinesThatAConfigTakes) {
  const Json json = tune_json(report());
  for (const char* bound : {"window", "budget"}) {
    const Json document = {{"experiment", "train"}, {"sync", json[bound]["sync"]}};
    EXPECT_NO_THROW(static_cast<void>(config::read_experiment(document, "test"))) << bound;
  }
}

TEST_F(TuneReporting, ListsTheCandidates) {
  const Json json = tune_json(report());
  EXPECT_EQ(json["candidates"].size(), 3U);
  EXPECT_EQ(json["candidates"][0]["verdict"], "does_not_keep");
  EXPECT_EQ(json["candidates"][0]["batches"], 1);
  EXPECT_EQ(json["candidates"][1]["is_smallest"], true);
  EXPECT_EQ(json["candidates"][2]["bytes"], 47 * kMebibyte);
  EXPECT_EQ(json["candidates"][2]["peak_bytes"], 50e6);
  EXPECT_EQ(json["none"]["growth_bytes"], 90e6);
  EXPECT_EQ(json["window"]["smallest"], 2);
  EXPECT_EQ(json["cells"], 26);
  EXPECT_EQ(json["advice"], Json::array());
}

TEST_F(TuneReporting, ChartsRssWhereTheDeviceCountsNoBytes) {
  EXPECT_THAT(text(), Not(HasSubstr("RSS growth, MB")));
  result_.none.peak_bytes.clear();

  EXPECT_THAT(text(), AllOf(HasSubstr("RSS growth, MB"), HasSubstr("◆")));
}

TEST_F(TuneReporting, ReportsThatNoiseAllowsNoVerdict) {
  result_.candidates = {open_candidate(1), open_candidate(2)};
  result_.window = SmallestFound{.stopped_by_noise = true};
  result_.bytes.reset();

  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/tune_of_noise.txt", text());
  const Json json = tune_json(report());
  EXPECT_EQ(json["window"]["smallest"], nullptr);
  EXPECT_EQ(json["window"]["sync"], nullptr);
  EXPECT_EQ(json["candidates"][0]["verdict"], "none");
  EXPECT_EQ(json["advice"].size(), 1U);
}

TEST_F(TuneReporting, ConcludesAsInTheTable) {
  const auto with = [this](const std::function<void(sweep::TuneResult&)>& change) {
    sweep::TuneResult result = result_;
    change(result);
    return tune_text({.config = config_, .result = result});
  };

  EXPECT_THAT(with([](auto& result) { result.window = SmallestFound{.smallest = 1}; }),
              HasSubstr("smallest window: 1 batch, there is none below"));
  EXPECT_THAT(with([](auto& result) { result.window = SmallestFound{.below_does_not = true}; }),
              HasSubstr("no window reaches the target: only an unbounded run-ahead does"));
  EXPECT_THAT(with([](auto& result) { result.window = SmallestFound{}; }),
              AllOf(HasSubstr("window: inconclusive, because of noise"),
                    Not(HasSubstr("only an unbounded run-ahead"))));
  EXPECT_THAT(with([](auto& result) {
                result.candidates.insert(result.candidates.begin(), open_candidate(1));
                result.window = SmallestFound{.smallest = 2};
              }),
              HasSubstr("smallest window that was shown to reach the target: 2 batches"));
  EXPECT_THAT(with([](auto& result) { result.none.seconds = {0.25}; }),
              HasSubstr("--set /batches=1200; these runs took 250 ms each"));
  EXPECT_THAT(
      with([](auto& result) {
        result.pairs = 183;
        result.disturbed_pairs = 176;
        result.reached_most_cells = true;
      }),
      ::testing::StartsWith(
          "Something else had the CPU in 176 of 183 pairs of runs: repeat on a quiet "
          "machine.\nThe search ended at its bound of runs: 26 were made.\n\nTarget: 99 %"));
}

TEST_F(TuneReporting, CountsThePairsThatMayBeNeeded) {
  EXPECT_EQ(progress_text(candidate(Bound::kWindow, 1, {0.9})), "window 1: pair 1 of 3 to 15");
  EXPECT_EQ(progress_text(result_.candidates[1]),
            "window 2: pair 3 of 3 to 15, throughput of none 1.000 (1.000 to 1.000)");
}

TEST_F(TuneReporting, LeavesOutWhatWasNotMeasured) {
  result_.candidates = {candidate(Bound::kWindow, 1, {0.9})};
  result_.none.peak_bytes.clear();
  result_.none.growth_bytes.clear();
  result_.window = result_.bytes = std::nullopt;
  const Json json = tune_json(report());

  EXPECT_EQ(json["candidates"][0]["of_none"], nullptr);
  EXPECT_EQ(json["none"]["peak_bytes"], nullptr);
  EXPECT_EQ(json["window"], nullptr);
  EXPECT_THAT(text(), AllOf(HasSubstr("not measured to the end"), Not(HasSubstr("│"))));
}

// Where points, ticks and the level are is in the golden files.
TEST(ScatterText, IsLogarithmicOverWideRanges) {
  ScatterChart chart{
      .points = {{1.0, 0.0, "a"}, {10.0, 1.0, "b"}, {100.0, 2.0, "c"}}, .columns = 5, .rows = 3};
  EXPECT_THAT(scatter_text(chart), HasSubstr("│  b\n"));
  EXPECT_THAT(scatter_text(chart), HasSubstr("logarithmic"));

  chart.points.front().x = 0.0;
  EXPECT_THAT(scatter_text(chart), HasSubstr("│b\n"));
  EXPECT_THAT(scatter_text(chart), Not(HasSubstr("logarithmic")));
}

TEST(ScatterText, WritesNumbersWithoutExponents) {
  const ScatterChart chart{.points = {{0.2621, 0.0, "a"}, {12'345.6, 1.0, "b"}}, .columns = 20};
  EXPECT_THAT(scatter_text(chart), HasSubstr(" 0.262         12,346\n"));
}

TEST(ScatterText, LetsALaterPointHideAnEarlierOne) {
  const ScatterChart chart{.points = {{1.0, 1.0, "a"}, {1.0, 1.0, "◆"}}, .columns = 4, .rows = 2};

  EXPECT_THAT(scatter_text(chart), HasSubstr("│◆\n"));
  EXPECT_THAT(scatter_text(chart), Not(HasSubstr("a")));
}

TEST(ScatterText, IsEmptyWithoutPoints) { EXPECT_EQ(scatter_text({}), ""); }

}  // namespace
}  // namespace runahead::apps
