#include "core/experiment/host_work.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <memory>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace runahead::experiment {
namespace {

class CountingSource final : public train::BatchSource {
 public:
  explicit CountingSource(int* made) : made_(made) {}
  train::Batch next() override {
    ++*made_;
    return {.inputs = torch::ones({3, 2})};
  }

 private:
  int* made_;
};

TEST(WorkFor, TakesItsTime) {
  const TimePoint begun = Clock::now();

  work_for(0.01);

  EXPECT_GE(seconds_between(begun, Clock::now()), 0.01);
}

TEST(WorkFor, DoesNothingForNoTime) {
  work_for(0.0);
  work_for(-1.0);
}

TEST(WorkingSource, TakesItsTimeAndHandsOnTheBatch) {
  int made = 0;
  WorkingSource source(std::make_unique<CountingSource>(&made), 0.01);
  const TimePoint begun = Clock::now();

  const train::Batch batch = source.next();

  EXPECT_GE(seconds_between(begun, Clock::now()), 0.01);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(batch.inputs.size(0), 3);
}

TEST(WorkingSource, RefusesNegativeTimesAndNoSource) {
  int made = 0;
  EXPECT_THROW(WorkingSource(nullptr, 1.0), UsageError);
  EXPECT_THROW(WorkingSource(std::make_unique<CountingSource>(&made), -1.0), UsageError);
}

}  // namespace
}  // namespace runahead::experiment
