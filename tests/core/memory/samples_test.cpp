#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/memory/attribution.h"
#include "core/memory/sample_series.h"

namespace runahead::memory {
namespace {

/// Samples by the name of the column; those not named are 0.
class AttributorTest : public testing::Test {
 protected:
  static std::vector<Column> all_columns() {
    std::vector<Column> columns{"rss_bytes", "heap_in_use_bytes", "heap_free_bytes"};
    for (const char* part : {"parameters_bytes", "inputs_bytes", "activations_bytes",
                             "executing_bytes", "bookkeeping_bytes"}) {
      columns.emplace_back(part, "", 1);
    }
    columns.emplace_back("untouched_bytes", "", -1);
    columns.emplace_back("untouched_inputs_bytes");  // No part: in one already.
    return columns;
  }

  void add(const std::map<std::string, Reading>& values) {
    std::vector<Reading> readings(columns_.size(), 0);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto found = values.find(columns_[i].name);
      if (found != values.end()) readings[i] = found->second;
    }
    time_ += std::chrono::milliseconds(1);
    attribution_.add(time_, readings, found_);
  }

  [[nodiscard]] std::int64_t peak_of(std::string_view column) const {
    const Attribution& peak = attribution_.peak().value();
    const auto found = std::ranges::find(peak.counted_columns, column);
    return peak.counted_bytes.at(static_cast<std::size_t>(found - peak.counted_columns.begin()));
  }

  const std::vector<Column> columns_ = all_columns();
  Attributor attribution_{columns_};
  std::array<Reading, 3> found_{};
  TimePoint time_{};
};

TEST_F(AttributorTest, PartsAddUpToTheHighestRss) {
  add({{"rss_bytes", 1000}, {"parameters_bytes", 100}});
  add({{"rss_bytes", 1500},
       {"parameters_bytes", 100},
       {"inputs_bytes", 300},
       {"activations_bytes", 250},
       {"untouched_bytes", 80},
       {"untouched_inputs_bytes", 80},
       {"bookkeeping_bytes", 20}});
  add({{"rss_bytes", 1200}, {"parameters_bytes", 100}, {"inputs_bytes", 290}});

  const Attribution& peak = attribution_.peak().value();
  EXPECT_EQ(peak.rss_bytes, 1500U);
  EXPECT_EQ(peak.time, TimePoint(std::chrono::milliseconds(2)));
  EXPECT_EQ(peak.baseline_bytes, 900);
  EXPECT_EQ(peak_of("inputs_bytes"), 300);
  EXPECT_EQ(peak_of("untouched_bytes"), 80);
  EXPECT_EQ(peak.rest_bytes, 1500 - 900 - (100 + 300 + 250 - 80 + 20));
}

TEST_F(AttributorTest, EverySampleIsAttributedTheLowerOnesToo) {
  EXPECT_EQ(names_of(attribution_.columns()),
            (std::vector<std::string>{"heap_kept_bytes", "rest_bytes", "overcounted_bytes"}));
  add({{"rss_bytes", 2000}, {"heap_in_use_bytes", 700}});
  add({{"rss_bytes", 1900}, {"heap_in_use_bytes", 690}, {"heap_free_bytes", 30}});
  EXPECT_EQ(found_[0], 10U);
  EXPECT_EQ(found_[1], 0U);
  EXPECT_EQ(found_[2], 110U);
  add({{"rss_bytes", std::nullopt}});
  EXPECT_EQ(found_[1], std::nullopt);
}

TEST_F(AttributorTest, HeapKeepsWhatItsUseHasFallenByAndIsStillFree) {
  add({{"rss_bytes", 1000}, {"heap_in_use_bytes", 500}, {"heap_free_bytes", 40}});
  EXPECT_EQ(attribution_.peak()->heap_kept_bytes, 0)
      << "of what was free before, there are no pages";
  add({{"rss_bytes", 1001}, {"heap_in_use_bytes", 700}, {"heap_free_bytes", 0}});
  add({{"rss_bytes", 1002}, {"heap_in_use_bytes", 600}, {"heap_free_bytes", 130}});
  EXPECT_EQ(attribution_.peak()->heap_kept_bytes, 100);
  add({{"rss_bytes", 1003}, {"heap_in_use_bytes", 600}, {"heap_free_bytes", 30}});
  EXPECT_EQ(attribution_.peak()->heap_kept_bytes, 30) << "some was returned";
}

TEST_F(AttributorTest, WhatIsReadSeldomCountsAsReadLast) {
  add({{"rss_bytes", 1000}, {"heap_in_use_bytes", 700}, {"heap_free_bytes", 0}});
  add({{"rss_bytes", 1000}, {"heap_in_use_bytes", 600}, {"heap_free_bytes", 100}});
  add({{"rss_bytes", 1100},
       {"heap_in_use_bytes", std::nullopt},
       {"heap_free_bytes", std::nullopt}});
  EXPECT_EQ(attribution_.peak()->heap_kept_bytes, 100);
  EXPECT_EQ(attribution_.peak()->rest_bytes, 0);
}

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
