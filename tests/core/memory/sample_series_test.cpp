#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/memory/sample_series.h"

namespace runahead::memory {
namespace {

using std::chrono::milliseconds;

const TimePoint kStart = TimePoint(std::chrono::seconds(5));

struct Row {
  TimePoint time{};
  std::vector<Reading> readings{};
};

std::vector<Row> rows_of(const SampleSeries& series) {
  std::vector<Row> rows;
  series.for_each([&](TimePoint time, std::span<const Reading> readings) {
    rows.push_back({time, {readings.begin(), readings.end()}});
  });
  return rows;
}

/// Lowest and highest of what is not null in a column.
struct Range {
  Reading lowest{};
  Reading highest{};

  void add(Reading reading) {
    if (!reading) return;
    lowest = std::min(lowest.value_or(*reading), *reading);
    highest = std::max(highest.value_or(*reading), *reading);
  }
  friend bool operator==(const Range&, const Range&) = default;
};

Range range_of(const std::vector<Row>& rows, std::size_t column) {
  Range range;
  for (const Row& row : rows) range.add(row.readings[column]);
  return range;
}

TEST(SampleSeries, ThinsFourRowsToTheirExtremesInOrderOfOccurrence) {
  SampleSeries series({"rising", "falling", "peak", "sparse", "never"}, 512);
  const std::vector<std::vector<Reading>> first_rows{
      {1, 9, 3, std::nullopt, std::nullopt},
      {2, 7, 8, 5, std::nullopt},
      {3, 7, 2, std::nullopt, std::nullopt},
      {4, 1, 3, std::nullopt, std::nullopt},
  };
  for (std::uint64_t i = 0; i < 257; ++i) {
    series.append(kStart + milliseconds(i), first_rows[i % 4]);
  }

  const std::vector<Row> rows = rows_of(series);

  ASSERT_EQ(rows.size(), 255U);
  EXPECT_EQ(rows[0].time, kStart);
  EXPECT_EQ(rows[1].time, kStart + milliseconds(3));
  EXPECT_EQ(rows[2].time, kStart + milliseconds(4));
  EXPECT_EQ(rows[0].readings, (std::vector<Reading>{1, 9, 8, 5, std::nullopt}));
  EXPECT_EQ(rows[1].readings, (std::vector<Reading>{4, 1, 2, std::nullopt, std::nullopt}));
}

// The property that thinning is for: whatever the series, every column keeps its minimum and
// maximum, times stay in order, and the peak is exact.
TEST(SampleSeries, NeverLosesAPeakOfARandomSeries) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::size_t max_rows = SampleSeries::kMinRows + random() % 300;
    const std::uint64_t length = random() % 60'000;
    const double null_share = std::uniform_real_distribution(0.0, 1.0)(random);
    SampleSeries series({"walk", "spiky", "sparse"}, max_rows);
    std::vector<Range> expected(3);

    std::uint64_t walk = 1'000'000;
    for (std::uint64_t i = 0; i < length; ++i) {
      walk += random() % 201 - 100;
      const Reading spiky = random() % 5000 == 0 ? random() : random() % 100;
      const bool is_null = std::uniform_real_distribution(0.0, 1.0)(random) < null_share;
      const std::vector<Reading> readings{walk, spiky, is_null ? std::nullopt : Reading(random())};
      for (std::size_t c = 0; c < 3; ++c) expected[c].add(readings[c]);
      series.append(kStart + milliseconds(i), readings);
    }

    const std::vector<Row> rows = rows_of(series);
    EXPECT_LE(rows.size(), max_rows);
    EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &Row::time));
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(range_of(rows, c), expected[c]) << series.columns()[c];
      EXPECT_EQ(series.peak(series.columns()[c]), expected[c].highest);
    }
    if (length > 0) {
      EXPECT_EQ(rows.front().time, kStart);
      EXPECT_EQ(rows.back().time, kStart + milliseconds(length - 1));
    }
  }
}

TEST(SampleSeries, ThinningMovesAPeakNoFurtherThanItsBucket) {
  SampleSeries series({"a"}, 1024);
  constexpr std::uint64_t kLength = 60'000;
  for (std::uint64_t i = 0; i < kLength; ++i) {
    series.append(kStart + milliseconds(i), std::vector<Reading>{i == kLength / 2 ? 1000 : 1});
  }

  const std::vector<Row> rows = rows_of(series);
  const auto peak =
      std::ranges::max_element(rows, {}, [](const Row& row) { return row.readings[0]; });

  // At an age of 30,000 samples rows stand for at most 1024 of them.
  EXPECT_NEAR(seconds_between(kStart, peak->time), 30.0, 1.1);
}

}  // namespace
}  // namespace runahead::memory
