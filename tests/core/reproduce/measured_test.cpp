#include "core/reproduce/measured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measured_fixtures.h"

namespace runahead::reproduce {
namespace {

using test::measured_of;
using test::record_with;
using test::spread;
using ::testing::HasSubstr;

TEST(Measured, TakesTheSpreadThatARecordHolds) {
  const Measured measured = measured_of("run", {{"copy_seconds", spread(2.0, 1.0, 4.0)}});

  const auto figure = measured.figure("run", "/results/copy_seconds");
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->median, 2.0);
  EXPECT_EQ(figure->min, 1.0);
  EXPECT_EQ(figure->max, 4.0);
  EXPECT_EQ(figure->count, 7U);
}

TEST(Measured, TakesTheSpreadOfNumbersOverTheProcesses) {
  Measured measured;
  for (const double bytes : {30.0, 10.0, 20.0}) {
    measured.add("run", record_with({{"peak_bytes", bytes}}));
  }

  const auto figure = measured.figure("run", "/results/peak_bytes");
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->median, 20.0);
  EXPECT_EQ(figure->count, 3U);
}

TEST(Measured, ListsNumbersInTheOrderOfTheProcesses) {
  Measured measured;
  for (const double bytes : {30.0, 10.0, 20.0}) {
    measured.add("run", record_with({{"peak_bytes", bytes}}));
  }

  EXPECT_EQ(measured.figures("run", "/results/peak_bytes"),
            (std::vector<double>{30.0, 10.0, 20.0}));
  EXPECT_TRUE(measured.figures("other", "/results/peak_bytes").empty());
}

TEST(Measured, KnowsNothingOfWhatOneProcessDidNotMeasure) {
  Measured measured;
  measured.add("run", record_with({{"peak_bytes", 1.0}}));
  measured.add("run", record_with({{"peak_bytes", nullptr}}));

  EXPECT_EQ(measured.figure("run", "/results/peak_bytes"), std::nullopt);
  EXPECT_EQ(measured.figure("run", "/results/nothing"), std::nullopt);
  EXPECT_EQ(measured.figure("other", "/results/peak_bytes"), std::nullopt);
}

TEST(Measured, TakesTextForNoFigure) {
  EXPECT_EQ(measured_of("run", {{"key", "text"}}).figure("run", "/results/key"), std::nullopt);
}

TEST(Measured, HoldsAFactOnlyIfItHeldInEveryProcess) {
  Measured measured;
  measured.add("run", record_with({{"kept", true}, {"lost", true}}));
  measured.add("run", record_with({{"kept", true}, {"lost", false}}));

  EXPECT_EQ(measured.fact("run", "/results/kept"), true);
  EXPECT_EQ(measured.fact("run", "/results/lost"), false);
  EXPECT_EQ(measured.fact("run", "/results/nothing"), std::nullopt);
}

TEST(Measured, SaysWhyAFigureIsMissing) {
  Measured measured;
  record::Record failed = record_with({{"peak_bytes", 1.0}});
  failed.status = record::Status::kFailed;
  failed.error = "operator 'mm' failed";
  measured.add("failed", failed);
  measured.add("ok", record_with(Json::object()));

  EXPECT_EQ(measured.figure("failed", "/results/peak_bytes"), std::nullopt);
  EXPECT_EQ(measured.reason("failed"), "the run 'failed' is failed: operator 'mm' failed");
  EXPECT_THAT(measured.reason("ok"), HasSubstr("did not measure it"));
  EXPECT_THAT(measured.reason("other"), HasSubstr("was not made"));
}

}  // namespace
}  // namespace runahead::reproduce
