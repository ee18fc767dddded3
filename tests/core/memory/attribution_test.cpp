#include "core/memory/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

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

}  // namespace
}  // namespace runahead::memory
