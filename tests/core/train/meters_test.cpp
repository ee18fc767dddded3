#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "core/train/batch_meter.h"
#include "core/train/batch_timeline.h"
#include "core/train/busy_meter.h"
#include "core/train/cost_fit.h"
#include "support/fake_back_end.h"

namespace runahead::train {
namespace meters_test {

using test::FakeBackEnd;

TimePoint at(double seconds) {
  return TimePoint{} +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

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

/// A batch that the front end begins at `admitted`: 1 s of data, 1 s of issue.
BatchEvents batch_at(double admitted, double computed, double finished, double returned) {
  return {.admitted = at(admitted),
          .made = at(admitted + 1),
          .issued = at(admitted + 2),
          .returned = at(returned),
          .computed = at(computed),
          .finished = at(finished)};
}

/// Nothing waits; the back end takes 8 s a batch, its result after 2 s.
std::vector<BatchEvents> unwaited() {
  return {batch_at(0, 3, 9, 2), batch_at(2, 11, 17, 4), batch_at(4, 19, 25, 6)};
}

std::vector<BatchEvents> each_waiting(double seconds) {
  std::vector<BatchEvents> batches = unwaited();
  for (BatchEvents& batch : batches) batch.waited_seconds = seconds;
  return batches;
}

std::vector<BatchEvents> one_slow_among_many() {
  std::vector<BatchEvents> batches = unwaited();
  batches.push_back(batch_at(6, 47, 53, 8));
  batches.push_back(batch_at(8, 55, 61, 10));
  return batches;
}

/// Of the second from the data to the end of issue, the back end is busy for a quarter.
std::vector<BatchEvents> mostly_idle() {
  std::vector<BatchEvents> batches{batch_at(0, 2.5, 2.5, 2), batch_at(2, 4.5, 4.5, 4)};
  batches[0].busy_seconds_when_issued = 0.25;
  batches[0].busy_seconds_when_finished = 0.75;
  batches[1].busy_seconds_when_issued = 1.0;
  batches[1].busy_seconds_when_finished = 1.5;
  return batches;
}

struct Row {
  const char* what;
  std::vector<BatchEvents> batches;
  LoopKind loop;
  BatchCost cost;  ///< t1, t2, t3, t1 before the back end begins, t2 until the result.
};

std::vector<Row> rows() {
  return {
      {"queued batches take the time between their ends", unwaited(), {}, {2, 8, 0.25, 1, 2}},
      {"waits within an issue are not its own", each_waiting(0.75), {}, {1.25, 8, 0.25, 1, 2}},
      {"batches waited for take the time from their data on",
       {batch_at(0, 9, 9, 9.5), batch_at(9.5, 18.5, 18.5, 19)},
       {.waits_for_loss_alone = false},
       {2, 8, 0.5, 1, 8}},
      {"a wait for the loss alone returns after it",
       {batch_at(0, 3, 9, 3.5), batch_at(3.5, 11, 17, 11.5)},
       {},
       {2, 8, 0.5, 1, 2}},
      {"a result there before the wait says nothing of its return",
       {batch_at(0, 1.5, 2.5, 2.1)},
       {},
       {2, 1.5, 0.25, 1, 0.5}},
      {"time without anything to execute is not the back end's",
       mostly_idle(),
       {},
       {2, 0.75, 0.25, 1, 0.75}},
      {"a back end that makes the data begins with the batch",
       unwaited(),
       {.makes_data_on_device = true},
       {2, 8, 0.25, 0, 2}},
      {"a device that executes at issue takes the step after the data",
       {batch_at(0, 1.5, 2, 2.5), batch_at(2.5, 4, 4.5, 5)},
       {.executes_at_issue = true},
       {1, 1, 0.25, 1, 1}},
      {"a slow batch among many changes nothing", one_slow_among_many(), {}, {2, 8, 0.25, 1, 2}},
  };
}

TEST(CostFit, IsThatOfTheTable) {
  for (const auto& [what, batches, loop, expected] : rows()) {
    SCOPED_TRACE(what);
    const BatchCost cost = fit_batch_cost(batches, loop, 0.25).value();
    EXPECT_DOUBLE_EQ(cost.t1_seconds, expected.t1_seconds);
    EXPECT_DOUBLE_EQ(cost.t2_seconds, expected.t2_seconds);
    EXPECT_DOUBLE_EQ(cost.t3_seconds, expected.t3_seconds);
    EXPECT_DOUBLE_EQ(cost.t1_before_seconds, expected.t1_before_seconds);
    EXPECT_DOUBLE_EQ(cost.t2_result_seconds, expected.t2_result_seconds);
  }
  EXPECT_EQ(fit_batch_cost({}, {}, 0.25), std::nullopt);
}

}  // namespace meters_test
}  // namespace runahead::train
