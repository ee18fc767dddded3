#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/enum_names.h"
#include "core/base/json_number.h"
#include "core/base/number_text.h"
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

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

TEST(ParseBytes, ReadsNumbersWithUnitsOf1000AndOf1024) {
  for (const auto& [text, bytes] : {std::pair<const char*, std::uint64_t>{"0", 0},
                                    {"1000", 1000},
                                    {"7 B", 7},
                                    {"2kB", 2'000},
                                    {"2KiB", 2'048},
                                    {"2MB", 2'000'000},
                                    {"256MiB", 268'435'456},
                                    {"1TB", 1'000'000'000'000},
                                    {"1PiB", std::uint64_t{1} << 50},
                                    {"1.5GiB", 1'610'612'736},
                                    {"0.3 kB", 300},
                                    {"1.0015kb", 1001},
                                    {"4gib", 4'294'967'296},
                                    {"16383.5PiB", 18'446'181'123'756'130'304U},
                                    {"18446744073709551615", kLargest}}) {
    EXPECT_EQ(parse_bytes(text), bytes) << text;
  }
}

TEST(ParseBytes, RefusesWhatIsNoSizeOrExceeds64Bits) {
  for (const char* text :
       {"", " ", "GiB", "-1", "+1", "1e9", "1.", ".5GiB", "1.5", "1  MB", "1G", "1 ", "1MBs",
        "0x10", "nan", "1,5GiB", " 1MB", "18446744073709551616", "16384PiB"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(FormatBytes, KeepsThreeSignificantDigitsAndCarriesIntoTheNextUnit) {
  for (const auto& [bytes, text] : {std::pair<std::uint64_t, const char*>{0, "0 B"},
                                    {999, "999 B"},
                                    {1000, "1.00 kB"},
                                    {2'101'248, "2.10 MB"},
                                    {39'900'000, "39.9 MB"},
                                    {241'000'000, "241 MB"},
                                    {kLargest, "18.4 EB"},
                                    {999'499, "999 kB"},
                                    {999'500, "1.00 MB"},
                                    {9'996, "10.0 kB"},
                                    {99'960, "100 kB"}}) {
    EXPECT_EQ(format_bytes(bytes), text);
  }
  EXPECT_EQ(parse_bytes(format_bytes(12'300'000)), 12'300'000U);
}

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(parse_duration("2us"), 2e-6);
  EXPECT_EQ(parse_duration("250ms"), 0.25);
  EXPECT_EQ(parse_duration("3"), 3.0);
  EXPECT_EQ(parse_duration("3 s"), 3.0);
  EXPECT_EQ(parse_duration("5min"), 300.0);
  EXPECT_EQ(parse_duration("1.5h"), 5400.0);
  EXPECT_EQ(parse_duration("2d"), 172800.0);
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const char* text : {"", " ", "s", "-1s", "+1s", "1e3s", "1.5.2s", "3 ", "3  s", "5 minutes",
                           "inf", "nan", "1s2"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_duration(std::string(400, '9')), std::nullopt);
}

TEST(FormatDuration, HasThreeDigitsInTheUnitThatFits) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0 s"},        {2e-8, "0.020 µs"}, {62.84e-6, "62.8 µs"}, {9.996e-4, "1.00 ms"},
      {0.26249, "262 ms"}, {0.9996, "1.00 s"}, {12.149, "12.1 s"},    {999.4, "999 s"},
      {999.6, "16.7 min"}, {7200.0, "2.00 h"}, {-0.25, "-250 ms"}};
  for (const auto& [seconds, text] : cases) EXPECT_EQ(format_duration(seconds), text);
}

TEST(Significant, HasNoZerosAtItsEndAndAnExponentOnlyIfHuge) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},       {std::nan(""), "nan"}, {4.12e-5, "0.0000412"}, {2.5, "2.5"},
      {9.9996, "10"},   {99.96, "100"},        {-0.0301, "-0.0301"},   {999.4, "999"},
      {999.6, "1,000"}, {2e6, "2,000,000"},    {3.8208e22, "3.82e+22"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(significant(value, 3), text);
}

}  // namespace
}  // namespace runahead
