#include "apps/runahead/scatter_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ScatterText, PutsPointsWhereTheyBelong) {
  const ScatterChart chart{.x_title = "x",
                           .y_title = "y",
                           .points = {{1.0, 0.0, "a"}, {2.0, 0.5, "b"}, {3.0, 1.0, "c"}},
                           .columns = 5,
                           .rows = 3};

  EXPECT_EQ(scatter_text(chart),
            "y\n"
            "  1.000 │    c\n"
            "        │  b\n"
            "  0.000 │a\n"
            "        └─────\n"
            "         1   3\n"
            "         x\n");
}

TEST(ScatterText, MarksTheLevelAndReachesToIt) {
  const ScatterChart chart{.points = {{1.0, 0.5, "a"}}, .level = 0.9, .columns = 4, .rows = 3};
  EXPECT_THAT(scatter_text(chart), HasSubstr("  0.900 │· ·"));
  EXPECT_THAT(scatter_text(chart), HasSubstr("  0.500 │a"));
}

TEST(ScatterText, IsLogarithmicOverWideRanges) {
  ScatterChart chart{
      .points = {{1.0, 0.0, "a"}, {10.0, 1.0, "b"}, {100.0, 2.0, "c"}}, .columns = 5, .rows = 3};
  EXPECT_THAT(scatter_text(chart), HasSubstr("│  b\n"));
  EXPECT_THAT(scatter_text(chart), HasSubstr("logarithmic"));

  chart.points.front().x = 0.0;
  EXPECT_THAT(scatter_text(chart), HasSubstr("│b\n"));
  EXPECT_THAT(scatter_text(chart), Not(HasSubstr("logarithmic")));
}

TEST(ScatterText, WritesNumbersWithoutExponents) {
  const ScatterChart chart{.points = {{0.2621, 0.0, "a"}, {12'345.6, 1.0, "b"}}, .columns = 20};
  EXPECT_THAT(scatter_text(chart), HasSubstr(" 0.262         12,346\n"));
}

TEST(ScatterText, LetsALaterPointHideAnEarlierOne) {
  const ScatterChart chart{.points = {{1.0, 1.0, "a"}, {1.0, 1.0, "◆"}}, .columns = 4, .rows = 2};

  EXPECT_THAT(scatter_text(chart), HasSubstr("│◆\n"));
  EXPECT_THAT(scatter_text(chart), Not(HasSubstr("a")));
}

TEST(ScatterText, IsEmptyWithoutPoints) { EXPECT_EQ(scatter_text({}), ""); }

}  // namespace
}  // namespace runahead::apps
