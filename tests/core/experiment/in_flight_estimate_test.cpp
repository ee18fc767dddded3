#include "core/experiment/in_flight_estimate.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace runahead::experiment {
namespace {

TEST(MostInFlight, IsNoneWhereEachCallExecutes) {
  EXPECT_NEAR(most_in_flight({1.0, 2.0, 3.0, 4.0}, 4.0), 0.0, 1e-9);
}

TEST(MostInFlight, IsTheBoundWhereCallsBlockAtIt) {
  std::vector<double> issued;
  for (int i = 1; i <= 100; ++i) issued.push_back(i <= 32 ? 0.0 : i - 32);  // A second each.

  EXPECT_NEAR(most_in_flight(issued, 100.0), 32.0, 1e-9);
}

TEST(MostInFlight, NeedsSomething) {
  EXPECT_THROW(static_cast<void>(most_in_flight({}, 1.0)), UsageError);
}

}  // namespace
}  // namespace runahead::experiment
