#include "core/base/duration.h"

#include <gtest/gtest.h>

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

TEST(FormatDuration, TakesTheUnitThatFits) {
  EXPECT_EQ(format_duration(0.0), "0 s");
  EXPECT_EQ(format_duration(0.25), "0.25 s");
  EXPECT_EQ(format_duration(90.0), "90 s");
  EXPECT_EQ(format_duration(15 * 60.0), "15 min");
  EXPECT_EQ(format_duration(9000.0), "2.5 h");
}

}  // namespace
}  // namespace runahead
