#include "core/base/duration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "core/base/number_text.h"

namespace runahead {
namespace {

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

TEST(FormatRoughDuration, TakesTheUnitThatFits) {
  EXPECT_EQ(format_rough_duration(0.0), "0 s");
  EXPECT_EQ(format_rough_duration(90.0), "90 s");
  EXPECT_EQ(format_rough_duration(15 * 60.0), "15 min");
  EXPECT_EQ(format_rough_duration(9000.0), "2.5 h");
}

TEST(FormatCount, SetsACommaBetweenThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(-1234567), "-1,234,567");
  EXPECT_EQ(format_count(1e300), "1e+300");
}

TEST(Significant, HasNoExponentAndNoZerosAtItsEnd) {
  const std::pair<double, const char*> cases[] = {
      {0.0, "0"},       {std::nan(""), "nan"}, {4.12e-5, "0.0000412"}, {2.5, "2.5"},
      {9.9996, "10"},   {99.96, "100"},        {-0.0301, "-0.0301"},   {999.4, "999"},
      {999.6, "1,000"}, {2e6, "2,000,000"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(significant(value, 3), text);
}

}  // namespace
}  // namespace runahead
