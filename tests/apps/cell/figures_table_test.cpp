#include "apps/cell/figures_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::cell {
namespace {

using ::testing::HasSubstr;

std::string table_of(const Json& results) {
  record::Record record;
  record.experiment = "graph";
  record.results["graph"] = results;
  return figures_table(record);
}

TEST(FiguresTable, ReportsASpreadANumberAFactAndAWord) {
  const std::string table =
      table_of({{"read_seconds", {{"median", 0.5}, {"min", 0.25}, {"max", 0.75}, {"count", 7}}},
                {"operations", 4},
                {"order_kept", true},
                {"bottleneck", "back_end"}});

  EXPECT_THAT(table,
              HasSubstr("  read_seconds                   500 ms (250 ms to 750 ms, 7 repeats)\n"));
  EXPECT_THAT(table, HasSubstr("  operations                     4\n"));
  EXPECT_THAT(table, HasSubstr("  order_kept                     yes\n"));
  EXPECT_THAT(table, HasSubstr("  bottleneck                     back_end\n"));
}

TEST(FiguresTable, NamesPartsByTheirPlace) {
  const std::string table = table_of(
      {{"chained", {{"t1_seconds", 2.0}}}, {"runs", {{{"error", 0.5}}, {{"error", 1.5}}}}});

  EXPECT_THAT(table, HasSubstr("  chained.t1_seconds             2.00 s\n"));
  EXPECT_THAT(table, HasSubstr("  runs[1].error                  1.5\n"));
}

TEST(FiguresTable, ShowsListsThatFitALine) {
  EXPECT_THAT(table_of({{"z", {3.0, 3.0}}}), HasSubstr("z                              3, 3\n"));
  EXPECT_EQ(table_of({{"times", Json(std::vector<double>(9, 1.0))}}), "");
}

TEST(FiguresTable, ShowsTextBelowItsKeyAndNoPictures) {
  const std::string table =
      table_of({{"text", "1 ones\n2 mul\n"}, {"svg", "<svg/>"}, {"dot", "d"}});

  EXPECT_EQ(table, "  text\n    1 ones\n    2 mul\n");
}

TEST(FiguresTable, LeavesOutWhatWasNotMeasured) {
  EXPECT_EQ(table_of({{"orders", nullptr}}), "");
  EXPECT_EQ(figures_table({}), "");
}

}  // namespace
}  // namespace runahead::cell
