#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json_number.h"

namespace runahead {
namespace {

// Names of too few or too many values do not compile.
enum class Fruit { kApple, kPear };
static_assert(kHasValues<Fruit, 2> && !kHasValues<Fruit, 1> && !kHasValues<Fruit, 3>);

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
