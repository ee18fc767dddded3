#include "core/cuda/nvtx_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace runahead::cuda {
namespace nvtx_ranges_test {

using ::testing::ElementsAre;
using train::LoopPhase;

class LoopRanges : public ::testing::Test {
 protected:
  void enter(const std::vector<LoopPhase>& phases) {
    for (const LoopPhase phase : phases) ranges_->on_phase(phase, Clock::now());
  }

  std::vector<std::string> written_{};
  std::unique_ptr<train::LoopObserver> ranges_ =
      make_loop_ranges({.open = [this](const char* name) { written_.emplace_back(name); },
                        .close = [this] { written_.emplace_back("end"); }});
};

TEST_F(LoopRanges, ABatchHoldsItsPhasesInTheirOrder) {
  enter({LoopPhase::kWaitBefore, LoopPhase::kData, LoopPhase::kIssue, LoopPhase::kIssueBackward,
         LoopPhase::kWaitAfter, LoopPhase::kBatchEnd});

  EXPECT_THAT(written_, ElementsAre("batch", "wait", "end", "data", "end", "issue", "end",
                                    "issue backward", "end", "wait", "end", "end"));
}

TEST_F(LoopRanges, WhatALoopLeftOpenIsClosedByTheNextBatch) {
  enter({LoopPhase::kWaitBefore, LoopPhase::kData, LoopPhase::kWaitBefore});

  EXPECT_THAT(written_, ElementsAre("batch", "wait", "end", "data", "end", "end", "batch", "wait"));
}

TEST_F(LoopRanges, WhatALoopLeftOpenIsClosedAtTheEnd) {
  enter({LoopPhase::kWaitBefore, LoopPhase::kData});

  ranges_.reset();

  EXPECT_THAT(written_, ElementsAre("batch", "wait", "end", "data", "end", "end"));
}

TEST(LoopRangesOfNothing, AreRefused) {
  EXPECT_THROW(static_cast<void>(make_loop_ranges({})), UsageError);
  EXPECT_THROW(static_cast<void>(make_loop_ranges({.close = [] {}})), UsageError);
}

}  // namespace nvtx_ranges_test
}  // namespace runahead::cuda
