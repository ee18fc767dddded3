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

}  // namespace
}  // namespace runahead::experiment
