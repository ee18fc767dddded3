#include "core/trace/trace_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "support/gate.h"

namespace runahead::trace {
namespace {

using engine::AccessMode;
using engine::make_engine;
using engine::make_variable;
using engine::VariablePtr;
using runahead::test::Gate;
using ::testing::ElementsAre;
using ::testing::Pair;

TimePoint at(std::int64_t microseconds) {
  return TimePoint(std::chrono::microseconds(microseconds));
}

struct Named {
  void operator()() {}
  std::size_t describe(std::span<char> text) const noexcept {
    return std::string_view("Float[2, 3]").copy(text.data(), text.size());
  }
};

TEST(TraceRecorder, KeepsTheCostAndMarksWhatFailedAndWhatWasSkipped) {
  TraceRecorder recorder(1);
  recorder.start();
  const auto engine = make_engine({.workers = 1, .observer = &recorder});
  const VariablePtr x = make_variable();
  engine->push({.name = "works", .body = Named(), .cost_bytes = 7});
  engine->push({.name = "fails", .body = [] { throw 1; }, .accesses = {{x, AccessMode::kWrite}}});
  engine->push({.name = "depends", .body = [] {}, .accesses = {{x, AccessMode::kRead}}});
  EXPECT_THROW(engine->wait_all(), engine::OperationError);
  std::vector<std::pair<Outcome, std::uint64_t>> outcomes;
  recorder.close().executions[0].for_each([&](const Execution& execution) {
    outcomes.emplace_back(execution.outcome, execution.cost_bytes);
  });

  EXPECT_THAT(outcomes, ElementsAre(Pair(Outcome::kFinished, 7U), Pair(Outcome::kFailed, 0U),
                                    Pair(Outcome::kSkipped, 0U)));
}

TEST(TraceRecorder, KeepsTheOutermostWaitAndTheDrain) {
  TraceRecorder recorder(1);
  recorder.start();
  recorder.on_wait_begin({.cause = engine::WaitCause::kLimit, .time = at(1)});
  recorder.on_wait_begin({.cause = engine::WaitCause::kAll, .time = at(2)});
  recorder.on_wait_end({.cause = engine::WaitCause::kAll, .time = at(3)});
  recorder.on_wait_end({.cause = engine::WaitCause::kLimit, .time = at(4)});
  recorder.begin_drain(at(5));
  const Recording& recording = recorder.close();

  EXPECT_GT(recording.drain->ended, at(5)) << "until it was closed";
  ASSERT_EQ(recording.waits.kept(), 1U);
  recording.waits.for_each([](const Wait& wait) {
    EXPECT_EQ(wait.cause, engine::WaitCause::kLimit);
    EXPECT_EQ(wait.begun, at(1));
    EXPECT_EQ(wait.ended, at(4));
  });
}

TEST(TraceRecorder, LeavesOutTheWaitsAndPushesOfOtherThreads) {
  TraceRecorder recorder(1);
  recorder.start();
  recorder.enter(Phase::kWaitBefore, at(0));
  recorder.on_push({.sequence = 1, .time = at(1)});
  recorder.on_wait_begin({.cause = engine::WaitCause::kLimit, .time = at(2)});
  std::jthread([&] {
    recorder.on_push({.sequence = 2, .time = at(3)});
    recorder.on_wait_begin({.cause = engine::WaitCause::kLimit, .time = at(3)});
  }).join();
  recorder.on_wait_end({.cause = engine::WaitCause::kLimit, .time = at(4)});
  recorder.on_wait_begin({.cause = engine::WaitCause::kAll, .time = at(5)});
  std::jthread([&] {
    recorder.on_wait_end({.cause = engine::WaitCause::kLimit, .time = at(6)});
    recorder.enter(Phase::kWaitBefore, at(7));
    recorder.on_wait_begin({.cause = engine::WaitCause::kLimit, .time = at(8)});
    recorder.on_wait_end({.cause = engine::WaitCause::kLimit, .time = at(9)});
  }).join();
  const Recording& recording = recorder.close();

  std::vector<std::pair<TimePoint, TimePoint>> waits;
  recording.waits.for_each([&](const Wait& wait) { waits.emplace_back(wait.begun, wait.ended); });
  EXPECT_THAT(waits, ElementsAre(Pair(at(2), at(4)), Pair(at(8), at(9))));
  EXPECT_EQ(recording.waits_of_other_threads, 1U);
  recording.issues.for_each([](const Issue& issue) { EXPECT_EQ(issue.sequence, 1U); });
}

TEST(TraceRecorder, IsClosedWhileWorkersGoOn) {
  TraceRecorder recorder(2);
  recorder.start();
  const auto engine = make_engine({.workers = 2, .observer = &recorder});
  Gate half_way;
  std::jthread front_end([&] {
    recorder.enter(Phase::kWaitBefore, at(0));
    for (int i = 0; i < 20'000; ++i) {
      engine->push({.name = "works", .body = Named()});
      if (i == 10'000) half_way.open();
    }
  });
  half_way.pass();
  const Recording& recording = recorder.close();
  const std::uint64_t executed = recording.operations_recorded();
  const std::uint64_t issued = recording.issues.kept();
  front_end.join();
  engine->wait_all();

  EXPECT_GE(issued, 10'000U);
  EXPECT_EQ(recording.issues.kept(), issued);
  EXPECT_EQ(recording.operations_recorded(), executed);
}

}  // namespace
}  // namespace runahead::trace
