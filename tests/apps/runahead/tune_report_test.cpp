#include "apps/runahead/tune_report.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/golden.h"

namespace runahead::apps {
namespace {

using sweep::Bound;
using sweep::SmallestFound;
using sweep::TuneCandidate;

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

/// A candidate on which noise allowed no verdict.
TuneCandidate open_candidate(std::uint64_t window) {
  std::vector<double> ratios;
  for (std::size_t pair = 0; pair < sweep::PairedRatio::kMostPairs; ++pair) {
    ratios.push_back(pair % 2 == 0 ? 0.8 : 1.2);
  }
  return candidate(Bound::kWindow, window, ratios);
}

sweep::TuneResult usual_result() {
  sweep::TuneResult result;
  result.cells = 26;
  result.none = {.count = 1,
                 .examples_per_second = {1000.0},
                 .seconds = {2.5},
                 .peak_bytes = {100e6},
                 .growth_bytes = {90e6}};
  result.candidates = {candidate(Bound::kWindow, 1, {0.9, 0.9, 0.9}),
                       candidate(Bound::kWindow, 2, {1.0, 1.0, 1.0}),
                       candidate(Bound::kBytes, 47 * kMebibyte, {1.0, 1.0, 1.0})};
  result.window = SmallestFound{.smallest = 2, .below_does_not = true};
  result.bytes = SmallestFound{.smallest = 47 * kMebibyte};
  return result;
}

TEST(TuneReporting, PrintsTheCandidatesAndTheConclusions) {
  using Change = std::function<void(sweep::TuneResult&)>;
  const std::pair<const char*, Change> cases[] = {
      {"the usual", [](auto&) {}},
      {"a device that counts no bytes", [](auto& result) { result.none.peak_bytes.clear(); }},
      {"noise",
       [](auto& result) {
         result.candidates = {open_candidate(1), open_candidate(2)};
         result.window = SmallestFound{.stopped_by_noise = true};
         result.bytes.reset();
       }},
      {"the smallest there is", [](auto& result) { result.window = SmallestFound{.smallest = 1}; }},
      {"no window", [](auto& result) { result.window = SmallestFound{.below_does_not = true}; }},
      {"inconclusive", [](auto& result) { result.window = SmallestFound{}; }},
      {"too few runs",
       [](auto& result) { result.window = SmallestFound{.stopped_by_bound = true}; }},
      {"an open one below",
       [](auto& result) {
         result.candidates.insert(result.candidates.begin(), open_candidate(1));
         result.window = SmallestFound{.smallest = 2};
       }},
      {"runs that are too short", [](auto& result) { result.none.seconds = {0.25}; }},
      {"a busy machine",
       [](auto& result) {
         result.pairs = 183;
         result.disturbed_pairs = 176;
         result.reached_most_cells = true;
       }},
      {"little was measured",
       [](auto& result) {
         result.candidates = {candidate(Bound::kWindow, 1, {0.9})};
         result.none.peak_bytes.clear();
         result.none.growth_bytes.clear();
         result.window = result.bytes = std::nullopt;
       }},
  };
  std::string text;
  for (const auto& [name, change] : cases) {
    sweep::TuneResult result = usual_result();
    change(result);
    const Json json = tune_json({.config = {}, .result = result});
    text += std::string("== ") + name + " ==\n" + tune_text({.config = {}, .result = result});
    for (const char* key : {"pairs", "none", "candidates", "window", "budget", "advice"}) {
      text += std::string(key) + ": " + dump_json(json[key]) + "\n";
    }
  }
  test::expect_golden(RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/tune.txt", text);
}

TEST(TuneReporting, CountsThePairsThatMayBeNeeded) {
  EXPECT_EQ(progress_text(candidate(Bound::kWindow, 1, {0.9})), "window 1: pair 1 of 3 to 15");
  EXPECT_EQ(progress_text(candidate(Bound::kWindow, 2, {1.0, 1.0, 1.0})),
            "window 2: pair 3 of 3 to 15, throughput of none 1.000 (1.000 to 1.000)");
}

}  // namespace
}  // namespace runahead::apps
