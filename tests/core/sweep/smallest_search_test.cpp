#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "core/base/bytes.h"
#include "core/sweep/paired_ratio.h"
#include "core/sweep/smallest_search.h"

namespace runahead::sweep {
namespace {

using ::testing::Le;

/// Judges by a threshold and remembers what it was asked.
struct Threshold {
  std::uint64_t smallest_that_keeps;
  std::vector<std::uint64_t> without_verdict{};
  std::vector<std::uint64_t> asked{};

  std::function<Verdict(std::uint64_t)> judge() {
    return [this](std::uint64_t value) {
      asked.push_back(value);
      for (const std::uint64_t open : without_verdict) {
        if (value == open) return Verdict::kNone;
      }
      return value >= smallest_that_keeps ? Verdict::kKeeps : Verdict::kDoesNotKeep;
    };
  }
};

TEST(ByteLadder, ClimbsInStepsOfAtMostFivePerCentThatCanBeWritten) {
  for (const std::uint64_t least : {1ULL, 700ULL, 30'000'000ULL, 44'000'000ULL, 3'000'000'000ULL}) {
    const Ladder ladder = byte_ladder(least, 40 * least);
    EXPECT_EQ(ladder.values.front(), round_up_to_text(least));
    EXPECT_LT(ladder.values.back(), 40 * least);
    for (std::size_t index = 1; index < ladder.values.size(); ++index) {
      const auto [before, value] = std::pair(ladder.values[index - 1], ladder.values[index]);
      EXPECT_LT(before, value);
      EXPECT_LE(value, std::max(before + 1, before + before / 20));
      EXPECT_EQ(parse_bytes(binary_size_text(value)), value);
    }
    EXPECT_EQ(ladder.first_looks.front(), 0U);
    EXPECT_EQ(ladder.first_looks.back(), ladder.values.size() - 1);
    EXPECT_TRUE(std::is_sorted(ladder.first_looks.begin(), ladder.first_looks.end()));
  }
}

TEST(BinarySizeText, IsShortAndExact) {
  EXPECT_EQ(binary_size_text(round_up_to_text(48'900'000)), "47MiB");
  EXPECT_EQ(binary_size_text(round_up_to_text(20 << 20)), "20MiB");
  EXPECT_EQ(binary_size_text(round_up_to_text(1'500'000)), "1465KiB");
  EXPECT_EQ(binary_size_text(round_up_to_text(std::uint64_t{25} << 30)), "25GiB");
  EXPECT_EQ(binary_size_text(1001), "1001");
  for (std::uint64_t bytes = 1; bytes < std::uint64_t{1} << 40; bytes += bytes / 3 + 1) {
    EXPECT_GE(round_up_to_text(bytes), bytes);
    EXPECT_LE(round_up_to_text(bytes), bytes + bytes / 20);
  }
}

TEST(SmallestSearch, FindsEveryWindow) {
  for (std::uint64_t smallest = 1; smallest <= 29; ++smallest) {
    Threshold threshold{.smallest_that_keeps = smallest};
    const SmallestFound found = find_smallest(window_ladder(29), threshold.judge());

    EXPECT_EQ(found.smallest, smallest);
    EXPECT_EQ(found.below_does_not, smallest > 1);
    EXPECT_FALSE(found.stopped_by_noise);
    EXPECT_THAT(threshold.asked.size(), Le(13U));
  }
}

TEST(SmallestSearch, FindsTheBudgetToFivePerCent) {
  constexpr std::uint64_t kLeast = 40 << 20;
  for (const double times : {1.01, 1.1, 1.5, 3.0, 9.0}) {
    const auto truth = static_cast<std::uint64_t>(times * kLeast);
    Threshold threshold{.smallest_that_keeps = truth};
    const SmallestFound found = find_smallest(byte_ladder(kLeast, 10 * kLeast), threshold.judge());

    EXPECT_GE(*found.smallest, truth);
    EXPECT_LE(static_cast<double>(*found.smallest), 1.05 * static_cast<double>(truth));
    EXPECT_TRUE(found.below_does_not);
    EXPECT_THAT(threshold.asked.size(), Le(11U));
  }
}

TEST(SmallestSearch, EndsWithoutAVerdictAsInTheTable) {
  using Values = std::vector<std::uint64_t>;
  struct Row {
    const char* what;
    Threshold threshold;
    std::uint64_t most;
    std::optional<std::uint64_t> smallest;
    bool below_does_not;
    bool stopped_by_noise;
    Values last_asked;
  };
  const std::vector<Row> rows{
      {"nothing keeps it", {.smallest_that_keeps = 100}, 29, {}, true, false, {29}},
      {"one open candidate", {3, {2}}, 29, 3, false, false, {}},
      {"the second open one ends it", {4, {2, 3}}, 29, {}, false, true, {1, 2, 3}},
      {"what was found before stays", {24, {20, 22}}, 100, 24, false, true, {}},
  };
  for (Row row : rows) {
    SCOPED_TRACE(row.what);
    const SmallestFound found = find_smallest(window_ladder(row.most), row.threshold.judge());
    EXPECT_EQ(found.smallest, row.smallest);
    if (row.smallest || !row.stopped_by_noise) {
      EXPECT_EQ(found.below_does_not, row.below_does_not);
    }
    EXPECT_EQ(found.stopped_by_noise, row.stopped_by_noise);
    const Values& asked = row.threshold.asked;
    ASSERT_GE(asked.size(), row.last_asked.size());
    EXPECT_TRUE(std::equal(row.last_asked.rbegin(), row.last_asked.rend(), asked.rbegin()));
  }
}

TEST(PairedRatio, HasStudentsIntervalOfTheLogarithms) {
  PairedRatio ratio(0.99);
  for (const double value : {0.9, 1.0, 1.1}) ratio.add(value * 50.0, 50.0);
  const auto interval = ratio.interval();

  // Mean and standard deviation of ln 0.9, 0, ln 1.1; t = 5.444 for 2 degrees of freedom.
  const double mean = (std::log(0.9) + std::log(1.1)) / 3.0;
  const double deviation = std::sqrt(
      (std::pow(std::log(0.9) - mean, 2) + mean * mean + std::pow(std::log(1.1) - mean, 2)) / 2.0);
  EXPECT_DOUBLE_EQ(interval->value, std::exp(mean));
  EXPECT_NEAR(*interval->lower, std::exp(mean - 5.444 * deviation / std::sqrt(3.0)), 1e-4);
  EXPECT_NEAR(*interval->upper, std::exp(mean + 5.444 * deviation / std::sqrt(3.0)), 1e-4);
}

TEST(PairedRatio, KeepsATargetThatEveryPairMeetsExactly) {
  PairedRatio ratio(0.5);
  for (int pair = 0; pair < 3; ++pair) ratio.add(1.0, 2.0);

  EXPECT_EQ(ratio.verdict(), Verdict::kKeeps);
}

/// Verdicts of 1000 seeded measurements of `truth` with `noise` a pair, target 0.99.
std::map<Verdict, int> simulate(double truth, double noise) {
  std::mt19937 random(1);
  std::normal_distribution<double> error(0.0, noise);
  std::map<Verdict, int> verdicts;
  for (int measurement = 0; measurement < 1000; ++measurement) {
    PairedRatio ratio(0.99);
    while (ratio.needs_more()) ratio.add(truth * std::exp(error(random)), 1.0);
    ++verdicts[ratio.verdict()];
  }
  return verdicts;
}

TEST(PairedRatio, IsAsSureAsItSays) {
  for (const double noise : {0.01, 0.03, 0.3}) {
    EXPECT_LE(simulate(0.99, noise)[Verdict::kKeeps], 65) << noise;
    EXPECT_LE(simulate(0.99, noise)[Verdict::kDoesNotKeep], 65) << noise;
  }
  EXPECT_LE(simulate(0.98, 0.03)[Verdict::kKeeps], 20);
  EXPECT_LE(simulate(0.98, 0.01)[Verdict::kKeeps], 3);
  EXPECT_LE(simulate(1.00, 0.03)[Verdict::kDoesNotKeep], 20);
}

TEST(PairedRatio, ReportsWhatNoiseAllows) {
  EXPECT_GE(simulate(1.00, 0.01)[Verdict::kKeeps], 900);
  EXPECT_GE(simulate(1.01, 0.01)[Verdict::kKeeps], 999);
  EXPECT_GE(simulate(0.95, 0.01)[Verdict::kDoesNotKeep], 999);
  EXPECT_GE(simulate(1.00, 0.10)[Verdict::kNone], 850);
}

}  // namespace
}  // namespace runahead::sweep
