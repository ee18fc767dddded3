#include "core/train/batch_timeline.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>

#include "support/fake_back_end.h"

namespace runahead::train {
namespace batch_timeline_test {

TimePoint at(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

/// One batch from `begun` on, a second a phase.
void pass_through(BatchTimeline& first, int begun) {
  first.on_phase(LoopPhase::kWaitBefore, at(begun));
  first.on_phase(LoopPhase::kData, at(begun + 1));
  first.on_phase(LoopPhase::kIssue, at(begun + 2));
  first.on_phase(LoopPhase::kIssueBackward, at(begun + 3));
  first.on_phase(LoopPhase::kWaitAfter, at(begun + 4));
  first.on_phase(LoopPhase::kBatchEnd, at(begun + 5));
}

TEST(BatchTimeline, WritesDownWhenBothSidesCameToTheirPoints) {
  test::FakeBackEnd back_end;
  BatchTimeline first(2, back_end, [](TimePoint until) { return seconds_between(at(0), until); });

  pass_through(first, 10);
  back_end.finish_until(1, at(20));
  back_end.finish_until(2, at(30));

  ASSERT_EQ(first.finished().size(), 1);
  const BatchEvents batch = first.finished().front();
  EXPECT_EQ(batch.admitted, at(11));
  EXPECT_EQ(batch.made, at(12));
  EXPECT_EQ(batch.issued, at(14));
  EXPECT_EQ(batch.returned, at(15));
  EXPECT_EQ(batch.computed, at(20));
  EXPECT_EQ(batch.finished, at(30));
  EXPECT_EQ(batch.busy_seconds_when_issued, 14.0);
  EXPECT_EQ(batch.busy_seconds_when_finished, 30.0);
  EXPECT_FALSE(batch.when_issued) << "this back end counts no bytes";
}

TEST(BatchTimeline, ReportsWhatTheFrontEndWaitedWhileItIssued) {
  test::FakeBackEnd back_end;
  double waited = 5.0;
  BatchTimeline first(1, back_end, {}, [&waited] { return std::exchange(waited, waited + 0.75); });

  pass_through(first, 10);
  back_end.finish_until(2, at(30));

  EXPECT_DOUBLE_EQ(first.finished().front().waited_seconds, 0.75);
}

TEST(BatchTimeline, LeavesLaterBatchesAlone) {
  test::FakeBackEnd back_end;
  BatchTimeline first(2, back_end);

  for (int batch = 0; batch < 5; ++batch) pass_through(first, 10 * batch);
  EXPECT_EQ(back_end.marks_in_flight(), 4);
  back_end.finish_until(4, at(60));

  EXPECT_EQ(first.finished().size(), 2);
}

TEST(BatchTimeline, MarksThatFinishLaterDoNotNeedTheObject) {
  test::FakeBackEnd back_end;
  auto first = std::make_unique<BatchTimeline>(1, back_end);
  pass_through(*first, 0);

  first.reset();

  EXPECT_NO_THROW(back_end.finish_until(2));
}

}  // namespace batch_timeline_test
}  // namespace runahead::train
