#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json_number.h"
#include "core/base/statistics.h"

namespace runahead {
namespace {

using Values = std::vector<double>;

// Names of too few or too many values do not compile.
enum class Fruit { kApple, kPear };
static_assert(kHasValues<Fruit, 2> && !kHasValues<Fruit, 1> && !kHasValues<Fruit, 3>);

TEST(Statistics, AreThoseOfTheTable) {
  Values hundred;
  for (int i = 100; i >= 0; --i) hundred.push_back(i);
  struct Row {
    const char* what;
    double found;
    double expected;
  };
  const std::vector<Row> rows{
      {"mean", mean(Values{1.0, 2.0, 6.0}), 3.0},
      {"odd median", median(Values{9.0, 1.0, 5.0}), 5.0},
      {"even median", median(Values{4.0, 1.0, 3.0, 2.0}), 2.5},
      {"median of one", median(Values{7.0}), 7.0},
      {"least", percentile(Values{40.0, 10.0, 30.0, 20.0}, 0.0), 10.0},
      {"greatest", percentile(Values{40.0, 10.0, 30.0, 20.0}, 100.0), 40.0},
      {"between neighbours", percentile(Values{40.0, 10.0, 30.0, 20.0}, 25.0), 17.5},
      {"90th", percentile(Values{40.0, 10.0, 30.0, 20.0}, 90.0), 37.0},
      {"37th of 0 to 100", percentile(hundred, 37.0), 37.0},
      {"a ratio and its inverse", geometric_mean(Values{2.0, 0.5}), 1.0},
      {"powers of ten", geometric_mean(Values{1.0, 10.0, 100.0}), 10.0},
  };
  for (const Row& row : rows) EXPECT_NEAR(row.found, row.expected, 1e-12) << row.what;
}

TEST(JsonNumber, IsAnIntegerHoweverItIsWrittenIfTheTypeHoldsIt) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  struct Row {
    Json json;
    std::optional<std::int64_t> integer;
    std::optional<std::uint64_t> whole;
  };
  const std::vector<Row> rows{{3, 3, 3},
                              {3.0, 3, 3},
                              {1e3, 1000, 1000},
                              {-1, -1, {}},
                              {kLeast, kLeast, {}},
                              {kMost, {}, kMost},
                              {0x1p64, {}, {}},
                              {3.5, {}, {}},
                              {1e300, {}, {}},
                              {true, {}, {}},
                              {"3", {}, {}},
                              {nullptr, {}, {}},
                              {Json::array({3}), {}, {}}};
  for (const Row& row : rows) {
    EXPECT_EQ(integer_as<std::int64_t>(row.json), row.integer) << row.json;
    EXPECT_EQ(integer_as<std::uint64_t>(row.json), row.whole) << row.json;
  }
  EXPECT_EQ(integer_as<int>(std::int64_t{1} << 32), std::nullopt);
  EXPECT_EQ(integer_as<int>(-5), -5);
  EXPECT_EQ(integer_as<std::uint32_t>(kMost), std::nullopt);
}

}  // namespace
}  // namespace runahead
