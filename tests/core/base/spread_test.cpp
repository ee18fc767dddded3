#include "core/base/spread.h"

#include <gtest/gtest.h>

namespace runahead {
namespace {

TEST(Spread, IsMedianAndRange) {
  const Spread spread = spread_of({4.0, 1.0, 10.0}).value();

  EXPECT_EQ(spread.median, 4.0);
  EXPECT_EQ(spread.min, 1.0);
  EXPECT_EQ(spread.max, 10.0);
  EXPECT_EQ(spread.count, 3U);
}

TEST(Spread, OfNothingIsNotMeasured) {
  EXPECT_EQ(spread_of({}), std::nullopt);
  EXPECT_EQ(to_json(std::optional<Spread>()), Json(nullptr));
}

TEST(Spread, IsWrittenWithTheNumberOfRepeats) {
  EXPECT_EQ(to_json(spread_of({2.0})).dump(), R"({"median":2.0,"min":2.0,"max":2.0,"count":1})");
}

}  // namespace
}  // namespace runahead
