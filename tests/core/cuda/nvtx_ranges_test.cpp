#include "core/cuda/nvtx_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace runahead::cuda {
namespace nvtx_ranges_test {

using ::testing::ElementsAre;
using train::LoopPhase;

TEST(LoopRanges, HoldTheirPhasesInTheirOrderAndAreClosedByTheNextBatchOrTheEnd) {
  std::vector<std::string> written;
  auto ranges = make_loop_ranges({.open = [&](const char* name) { written.emplace_back(name); },
                                  .close = [&] { written.emplace_back("end"); }});
  const auto enter = [&](const std::vector<LoopPhase>& phases) {
    for (const LoopPhase phase : phases) ranges->on_phase(phase, Clock::now());
    return std::exchange(written, {});
  };
  EXPECT_THAT(enter({LoopPhase::kWaitBefore, LoopPhase::kData, LoopPhase::kIssue,
                     LoopPhase::kIssueBackward, LoopPhase::kWaitAfter, LoopPhase::kBatchEnd}),
              ElementsAre("batch", "wait", "end", "data", "end", "issue", "end", "issue backward",
                          "end", "wait", "end", "end"));
  EXPECT_THAT(enter({LoopPhase::kWaitBefore, LoopPhase::kData, LoopPhase::kWaitBefore}),
              ElementsAre("batch", "wait", "end", "data", "end", "end", "batch", "wait"));
  ranges.reset();
  EXPECT_THAT(written, ElementsAre("end", "end"));
  EXPECT_THROW(static_cast<void>(make_loop_ranges({})), UsageError);
  EXPECT_THROW(static_cast<void>(make_loop_ranges({.close = [] {}})), UsageError);
}

}  // namespace nvtx_ranges_test
}  // namespace runahead::cuda
