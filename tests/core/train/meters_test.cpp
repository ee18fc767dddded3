#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "core/train/batch_meter.h"
#include "core/train/batch_timeline.h"
#include "core/train/busy_meter.h"
#include "support/fake_back_end.h"

namespace runahead::train {
namespace meters_test {

using test::FakeBackEnd;

TEST(BatchMeter, CountsBatchesInFlightAndWhatTheyKeepWithTheirPeaks) {
  FakeBackEnd back_end;
  BatchMeter meter(back_end);
  const auto probe = meter.make_probe();
  const auto readings = [&probe] {
    std::array<memory::Reading, 4> read{};
    probe->read(read);
    return read;
  };
  const TimePoint first = Clock::now();
  const TimePoint second = first + std::chrono::seconds(1);

  meter.batch_issued({});
  EXPECT_EQ(readings().back(), std::nullopt) << "no batch keeps any";
  meter.batch_issued({.kept_bytes = 100});
  meter.batch_issued({.kept_bytes = 50});
  EXPECT_EQ(meter.counts().in_flight, 3);
  back_end.finish_until(1, first);
  back_end.finish_until(2, second);
  meter.batch_issued({.kept_bytes = 20});

  const BatchCounts counts = meter.counts();
  EXPECT_EQ(counts.issued, 4);
  EXPECT_EQ(counts.finished, 2);
  EXPECT_EQ(counts.in_flight, 2);
  EXPECT_EQ(counts.in_flight_peak, 3);
  EXPECT_EQ(counts.kept_bytes, 70U);
  EXPECT_EQ(counts.kept_bytes_peak, 150U);
  EXPECT_EQ(meter.counter().finish_times(), (std::vector<TimePoint>{first, second}));
  EXPECT_EQ(memory::names_of(probe->columns()),
            (std::vector<std::string>{"batches_in_flight", "batches_issued", "batches_finished",
                                      "kept_bytes"}));
  EXPECT_EQ(readings(), (std::array<memory::Reading, 4>{2, 4, 2, 70}));
}

TimePoint at(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

TEST(BusyMeter, AddsUpTheTimeInWhichAtLeastOneOperationExecutes) {
  BusyMeter meter;
  meter.on_start({.time = at(1)});
  meter.on_finish({.skipped = true, .time = at(2)});
  meter.on_finish({.time = at(3)});
  meter.on_start({.time = at(10)});
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(12)), 4.0) << "it executes still";
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(9)), 2.0);
  meter.on_start({.time = at(11)});
  meter.on_finish({.time = at(12)});
  meter.on_finish({.time = at(15)});
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(20)), 7.0);

  meter.reset();
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(20)), 0.0);
}

TEST(BusyMeter, AddsUpTheWaitsOfTheFrontEndAlone) {
  BusyMeter meter;
  meter.count_waits_of_this_thread();
  std::thread([&meter] {
    meter.on_wait_begin({engine::WaitCause::kLimit, at(1)});
    meter.on_wait_end({engine::WaitCause::kLimit, at(3)});
    meter.on_wait_begin({engine::WaitCause::kAll, at(4)});
  }).join();
  EXPECT_DOUBLE_EQ(meter.waited_seconds(), 0.0) << "another thread still waits";

  meter.on_wait_begin({engine::WaitCause::kLimit, at(4)});
  meter.on_wait_end({engine::WaitCause::kLimit, at(6)});
  meter.on_wait_begin({engine::WaitCause::kVariable, at(6)});
  meter.on_wait_end({engine::WaitCause::kVariable, at(7)});
  EXPECT_DOUBLE_EQ(meter.waited_seconds(), 3.0);
}

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
  double waited = 5.0;
  BatchTimeline first(
      1, back_end, [](TimePoint until) { return seconds_between(at(0), until); },
      [&waited] { return std::exchange(waited, waited + 0.75); });

  pass_through(first, 10);
  pass_through(first, 50);  // Beyond those that it writes down.
  EXPECT_EQ(back_end.marks_in_flight(), 2);
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
  EXPECT_DOUBLE_EQ(batch.waited_seconds, 0.75) << "while it was issued";
}

TEST(BatchTimeline, MarksThatFinishLaterDoNotNeedTheObject) {
  test::FakeBackEnd back_end;
  auto first = std::make_unique<BatchTimeline>(1, back_end);
  pass_through(*first, 0);

  first.reset();

  EXPECT_NO_THROW(back_end.finish_until(2));
}

}  // namespace meters_test
}  // namespace runahead::train
