#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/scratch_folder.h"
#include "core/engine/engine.h"
#include "core/memory/samples_csv.h"
#include "core/trace/trace_json.h"
#include "core/trace/trace_recorder.h"
#include "core/trace/trace_text.h"
#include "support/gate.h"

namespace runahead::trace {
namespace {

using ::testing::ElementsAre;

TimePoint at(std::int64_t microseconds) {
  return TimePoint(std::chrono::microseconds(microseconds));
}

/// The events of one phase ("X", "s", …) and category, in the order of the file.
std::vector<Json> events_of(const Json& trace, const std::string& phase,
                            const std::string& category = "") {
  std::vector<Json> events;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != phase) continue;
    if (category.empty() || event.value("cat", "") == category) events.push_back(event);
  }
  return events;
}

/// A trace of events recorded by hand.
class TraceOfEvents : public ::testing::Test {
 protected:
  TraceOfEvents() { recorder_.start(); }

  void push(std::uint64_t sequence, std::int64_t time) {
    recorder_.on_push({.sequence = sequence, .name = "x", .time = at(time)});
  }
  void execute(std::uint64_t sequence, std::int64_t begun, std::int64_t ended) {
    recorder_.on_start({.sequence = sequence, .name = "x", .worker = 0, .time = at(begun)});
    recorder_.on_finish({.sequence = sequence, .name = "x", .worker = 0, .time = at(ended)});
  }
  Json trace() {
    return parse_json(trace_json(recorder_.close(), {.name = "test", .origin = at(0)}), "trace");
  }

  TraceRecorder recorder_{1, {.operations = 4, .batches = 4, .waits = 4}};
};

TEST_F(TraceOfEvents, ShowsASkippedOperationSoThatAnArrowFindsIt) {
  recorder_.enter(Phase::kWaitBefore, at(1));
  push(1, 2);
  recorder_.end_batch(at(3));
  recorder_.on_finish({.sequence = 1, .name = "x", .worker = 0, .skipped = true, .time = at(5)});
  const Json trace = this->trace();

  const Json operation = events_of(trace, "X", "operation").at(0);
  EXPECT_EQ(operation["args"]["skipped"], true);
  EXPECT_GT(operation["dur"].get<double>(), 0.0);
  EXPECT_EQ(events_of(trace, "f").size(), 1U);
}

TEST_F(TraceOfEvents, DrawsNoArrowFromWhatNoSliceEncloses) {
  push(1, 2);
  execute(1, 3, 4);
  EXPECT_TRUE(events_of(trace(), "s").empty());
}

TEST_F(TraceOfEvents, LeavesOutTheMiddleAndSaysSo) {
  recorder_.enter(Phase::kWaitBefore, at(0));
  for (std::uint64_t i = 1; i <= 10; ++i) push(i, static_cast<std::int64_t>(i));
  recorder_.end_batch(at(50));
  for (std::uint64_t i = 1; i <= 10; ++i) {
    execute(i, static_cast<std::int64_t>(100 + i), static_cast<std::int64_t>(101 + i));
  }
  const Json trace = this->trace();

  std::vector<std::uint64_t> sequences;
  for (const Json& slice : events_of(trace, "X", "operation")) {
    sequences.push_back(slice["args"]["sequence"]);
  }
  EXPECT_THAT(sequences, ElementsAre(1, 2, 9, 10));
  EXPECT_EQ(events_of(trace, "s").size(), 4U);
  EXPECT_EQ(trace["otherData"]["operations_recorded"], 4);
  EXPECT_EQ(trace["otherData"]["operations_left_out"], 6);
  const Json summary = summary_of(recorder_.close());
  EXPECT_EQ(summary["operations_recorded"], 4);
  EXPECT_EQ(summary["operations_left_out"], 6);
  EXPECT_EQ(summary["batches_recorded"], 1);
  EXPECT_EQ(summary["batches_left_out"], 0);
  EXPECT_EQ(summary["waits_recorded"], 0);
}

TEST(TraceText, TimesAreMicrosecondsToTheNanosecondSinceTheOrigin) {
  constexpr TimePoint kOrigin(std::chrono::seconds(100));
  TraceText text(kOrigin, 0);
  text.slice(Track{3}, {.begun = 1'002'003, .ended = 1'002'070}, "aten::mm", "operation");
  EXPECT_EQ(text.take(), R"({"ph":"X","pid":1,"tid":3,"ts":1002.003,"dur":0.067,"name":"aten::mm",)"
                         R"("cat":"operation"})");
  EXPECT_EQ(text.nanoseconds_of(kOrigin + std::chrono::microseconds(7)), 7'000);
  EXPECT_EQ(text.nanoseconds_of(kOrigin - std::chrono::seconds(1)), 0) << "what came before it";
}

TEST(TraceText, IsJsonWhateverANameHolds) {
  TraceText text({}, 0);
  text.slice(Track{3}, {}, "a \"quoted\" \\ name\n", "operation",
             Arguments().add("on", std::string_view("\"\\\t")).add("bytes", 5).add_flag("failed"));
  const Json event = parse_json(text.take(), "event");
  EXPECT_EQ(event["name"], "a \"quoted\" \\ name ");
  EXPECT_EQ(event["args"]["on"], "\"\\ ");
  EXPECT_EQ(event["args"]["bytes"], 5);
  EXPECT_EQ(event["args"]["failed"], true);
}

using engine::AccessMode;
using engine::make_engine;
using engine::make_variable;
using engine::VariablePtr;
using runahead::test::Gate;
using ::testing::Pair;

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

constexpr double kHourMostBytes = 200e6;  ///< Of a trace and its samples together.

// As the monitor keeps them, of as many columns as there may be.
constexpr std::size_t kSampleRows = 100'000;
constexpr std::size_t kSampleColumns = memory::SampleSeries::kMaxColumns;
constexpr TimePoint kHourBegin{};
constexpr std::uint64_t kGigabytes = 10'000'000'000;

// Late in the hour: times are as long as they come.
TimePoint late(std::uint64_t step) {
  return kHourBegin + std::chrono::minutes(50) + std::chrono::nanoseconds(1'001 * step);
}

/// Describes itself at more length than is kept.
struct Talkative {
  void operator()() {}
  std::size_t describe(std::span<char> text) const noexcept {
    std::ranges::fill(text, 'x');
    return text.size();
  }
};

/// More of everything than is kept. Each operation of the longest name that training issues.
void record_much(TraceRecorder& recorder) {
  const TraceBounds bounds;
  const engine::OperationBody body = Talkative();
  recorder.start();
  std::uint64_t step = 0;
  for (std::uint64_t i = 1; i <= 3 * bounds.operations; ++i) {
    if (i % 10 == 1) {
      for (const Phase phase : {Phase::kWaitBefore, Phase::kData, Phase::kIssue}) {
        recorder.enter(phase, late(++step));
      }
      recorder.on_wait_begin({.cause = engine::WaitCause::kLimit, .time = late(++step)});
      recorder.on_wait_end({.cause = engine::WaitCause::kLimit, .time = late(++step)});
    }
    engine::OperationEvent event{.sequence = 10'000'000 + i,
                                 .name = "aten::_scaled_dot_product_flash_attention_backward",
                                 .cost_bytes = kGigabytes,
                                 .worker = 0,
                                 .body = &body,
                                 .time = late(++step)};
    recorder.on_push(event);
    event.time = late(++step);
    recorder.on_start(event);
    event.time = late(++step);
    recorder.on_finish(event);
    if (i % 10 == 0) {
      recorder.enter(Phase::kWaitAfter, late(++step));
      recorder.end_batch(late(++step));
    }
  }
}

/// Every value as long as it comes, and none the same as the one before.
memory::SampleSeries many_samples() {
  std::vector<std::string> columns{"rss_bytes", "live_bytes", "promised_bytes", "held_bytes",
                                   "batches_in_flight"};
  while (columns.size() < kSampleColumns) {
    columns.push_back("column_" + std::to_string(columns.size()) + "_bytes");
  }
  memory::SampleSeries samples(columns, kSampleRows);
  for (std::uint64_t i = 0; i < kSampleRows / 2 + 5'000; ++i) {
    samples.append(late(i), std::vector<memory::Reading>(kSampleColumns, kGigabytes + i));
  }
  return samples;
}

double bytes_of_trace(const Recording& recording, const memory::SampleSeries* samples) {
  return static_cast<double>(
      trace_json(recording, {.name = "train on acpu", .origin = kHourBegin, .samples = samples})
          .size());
}

// Once all it keeps is full a file grows no more, so an hour is what fills it. The rows of samples
// are counted up to their bound: it would take 30 hours to reach it.
TEST(TraceSize, StaysUnder200MbWithItsSamplesHoweverLongARunIs) {
  TraceRecorder recorder(1);
  record_much(recorder);
  const Recording& recording = recorder.close();
  const memory::SampleSeries samples = many_samples();
  const ScratchFolder folder;
  const std::filesystem::path csv = folder.path() / "samples.csv";
  write_samples_csv(csv, samples, kHourBegin);

  ASSERT_GT(recording.operations_left_out(), 0U);
  ASSERT_GT(recording.batches.left_out(), 0U);
  ASSERT_GT(recording.waits.left_out(), 0U);
  const double scale = static_cast<double>(kSampleRows) / static_cast<double>(samples.size());
  const double bytes_of_events = bytes_of_trace(recording, nullptr);
  const double bytes_of_counters = bytes_of_trace(recording, &samples) - bytes_of_events;
  const double bytes_of_csv = static_cast<double>(std::filesystem::file_size(csv));
  RecordProperty("trace_bytes", std::to_string(bytes_of_events + scale * bytes_of_counters));
  RecordProperty("samples_bytes", std::to_string(scale * bytes_of_csv));

  EXPECT_LT(bytes_of_events + scale * (bytes_of_counters + bytes_of_csv), kHourMostBytes);
}

}  // namespace
}  // namespace runahead::trace
