// Small parts of the records of the tutorials' programs.
#include "core/experiment/measured_figures.h"

#include <gtest/gtest.h>

#include <vector>

namespace runahead::experiment {
namespace {

TEST(MeasuredFigures, AFactSeenTwiceMustHoldTwiceAndOfWhatIsKeptTheLastStays) {
  MeasuredFigures figures;
  for (const bool holds : {false, true}) {
    Repeat repeat;
    repeat.observe("holds in each", true);
    repeat.observe("holds", holds);
    repeat.observe("holds", true);
    repeat.keep("kept", holds ? 2 : 1);
    figures.add(repeat);
  }

  EXPECT_EQ(figures.to_json()["holds in each"], true);
  EXPECT_EQ(figures.to_json()["holds"], false);
  EXPECT_EQ(figures.to_json()["kept"], 2);
}

TEST(MostInFlight, IsTheBoundWhereCallsBlockAtIt) {
  std::vector<double> issued;
  for (int i = 1; i <= 100; ++i) issued.push_back(i <= 32 ? 0.0 : i - 32);  // A second each.

  EXPECT_NEAR(most_in_flight(issued, 100.0), 32.0, 1e-9);
}

}  // namespace
}  // namespace runahead::experiment
