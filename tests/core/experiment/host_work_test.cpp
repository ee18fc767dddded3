#include "core/experiment/host_work.h"

#include <gtest/gtest.h>

#include "core/base/clock.h"

namespace runahead::experiment {
namespace {

TEST(WorkFor, TakesItsTime) {
  const TimePoint begun = Clock::now();

  work_for(0.01);

  EXPECT_GE(seconds_between(begun, Clock::now()), 0.01);
}

TEST(WorkFor, DoesNothingForNoTime) {
  work_for(0.0);
  work_for(-1.0);
}

}  // namespace
}  // namespace runahead::experiment
