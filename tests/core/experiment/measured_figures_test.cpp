#include "core/experiment/measured_figures.h"

#include <gtest/gtest.h>

namespace runahead::experiment {
namespace {

Repeat repeat_of(double seconds, bool holds, int kept) {
  Repeat repeat;
  repeat.measure("time_seconds", seconds);
  repeat.observe("holds", holds);
  repeat.keep("kept", kept);
  return repeat;
}

TEST(MeasuredFigures, AreMediansWithTheirRange) {
  MeasuredFigures figures;
  for (const double seconds : {3.0, 1.0, 2.0}) figures.add(repeat_of(seconds, true, 0));

  EXPECT_EQ(figures.to_json()["time_seconds"].dump(),
            R"({"median":2.0,"min":1.0,"max":3.0,"count":3})");
}

TEST(MeasuredFigures, AFactHoldsIfItHeldEachTime) {
  MeasuredFigures figures;
  figures.add(repeat_of(1.0, true, 0));
  EXPECT_EQ(figures.to_json()["holds"], true);
  figures.add(repeat_of(1.0, false, 0));
  figures.add(repeat_of(1.0, true, 0));
  EXPECT_EQ(figures.to_json()["holds"], false);
}

TEST(MeasuredFigures, AFactSeenTwiceInARepeatMustHoldTwice) {
  Repeat repeat;
  repeat.observe("holds", false);
  repeat.observe("holds", true);
  MeasuredFigures figures;
  figures.add(repeat);

  EXPECT_EQ(figures.to_json()["holds"], false);
}

TEST(MeasuredFigures, OfWhatIsKeptTheLastStays) {
  MeasuredFigures figures;
  figures.add(repeat_of(1.0, true, 1));
  figures.add(repeat_of(1.0, true, 2));

  EXPECT_EQ(figures.to_json()["kept"], 2);
}

TEST(MeasuredFigures, OfNothingAreNone) { EXPECT_EQ(MeasuredFigures().to_json(), Json::object()); }

}  // namespace
}  // namespace runahead::experiment
