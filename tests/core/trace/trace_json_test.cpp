#include "core/trace/trace_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/engine/engine.h"
#include "core/trace/trace_recorder.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::trace {
namespace {

using ::testing::ElementsAre;

constexpr int kBatches = 20;
constexpr int kOperationsPerBatch = 10;

/// Of one phase ("X", "s", …) and category, in the order of the file.
std::vector<Json> events_of(const Json& trace, const std::string& phase,
                            const std::string& category = "") {
  std::vector<Json> events;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != phase) continue;
    if (category.empty() || event.value("cat", "") == category) events.push_back(event);
  }
  return events;
}

/// Of all events that satisfy it, the names.
std::vector<std::string> names_of(const std::vector<Json>& events) {
  std::vector<std::string> names;
  for (const Json& event : events) names.push_back(event["name"]);
  return names;
}

double end_of(const Json& slice) { return slice["ts"].get<double>() + slice["dur"].get<double>(); }

/// Each slice of a track lies within the ones that are open where it begins.
void expect_nested(const Json& trace) {
  constexpr double kRounding = 1e-6;  // Of microseconds.
  std::map<int, std::vector<Json>> tracks;
  for (const Json& slice : events_of(trace, "X")) tracks[slice["tid"]].push_back(slice);
  for (auto& [track, slices] : tracks) {
    std::ranges::stable_sort(slices, {},
                             [](const Json& slice) { return slice["ts"].get<double>(); });
    std::vector<double> open_until;
    for (const Json& slice : slices) {
      while (!open_until.empty() && open_until.back() <= slice["ts"].get<double>() + kRounding) {
        open_until.pop_back();
      }
      if (!open_until.empty()) {
        EXPECT_LE(end_of(slice), open_until.back() + kRounding) << slice;
      }
      open_until.push_back(end_of(slice));
    }
  }
}

void train(engine::Engine& engine, TraceRecorder& recorder) {
  for (int batch = 0; batch < kBatches; ++batch) {
    recorder.enter(Phase::kWaitBefore, Clock::now());
    recorder.enter(Phase::kData, Clock::now());
    recorder.enter(Phase::kIssue, Clock::now());
    for (int i = 0; i < kOperationsPerBatch; ++i) {
      engine.push({.name = "aten::mm", .body = [] {}, .cost_bytes = 64});
    }
    recorder.enter(Phase::kWaitAfter, Clock::now());
    engine.wait_all();
    recorder.end_batch(Clock::now());
  }
  recorder.begin_drain(Clock::now());
  engine.wait_all();
}

class TraceJson : public ::testing::TestWithParam<int> {
 protected:
  Json run() {
    TraceRecorder recorder(std::max(1, GetParam()));
    const TimePoint origin = Clock::now();
    recorder.start();
    const auto engine = engine::make_engine(
        {.workers = GetParam(), .limit = {.operations = 4}, .observer = &recorder});
    train(*engine, recorder);
    return parse_json(trace_json(recorder.close(), {.name = "train on acpu", .origin = origin}),
                      "trace");
  }
};

TEST_P(TraceJson, HasASliceForEachBatchPhaseAndOperationAndAnArrowForEachOperation) {
  const Json trace = run();
  const std::size_t operations = kBatches * kOperationsPerBatch;

  EXPECT_EQ(events_of(trace, "X", "batch").size(), kBatches);
  EXPECT_EQ(events_of(trace, "X", "phase").size(), kBatches * 4);
  EXPECT_EQ(events_of(trace, "X", "drain").size(), 1U);
  EXPECT_EQ(events_of(trace, "X", "operation").size(), operations);
  EXPECT_EQ(events_of(trace, "s").size(), operations);
  EXPECT_EQ(events_of(trace, "f").size(), operations);
  EXPECT_EQ(trace["otherData"]["arrows"], operations);
  EXPECT_EQ(trace["otherData"]["operations_left_out"], 0);
}

TEST_P(TraceJson, NestsItsSlices) { expect_nested(run()); }

TEST_P(TraceJson, LeadsEachArrowFromABatchToTheOperation) {
  const Json trace = run();
  std::map<std::uint64_t, Json> operations;
  for (const Json& slice : events_of(trace, "X", "operation")) {
    operations[slice["args"]["sequence"]] = slice;
  }
  std::map<std::uint64_t, Json> batches;
  for (const Json& slice : events_of(trace, "X", "batch")) batches[slice["args"]["batch"]] = slice;
  for (const Json& arrow : events_of(trace, "f")) {
    const Json& operation = operations.at(arrow["id"]);
    EXPECT_EQ(arrow["tid"], operation["tid"]);
    EXPECT_EQ(arrow["ts"], operation["ts"]);
  }
  for (const Json& arrow : events_of(trace, "s")) {
    const Json& batch = batches.at(operations.at(arrow["id"])["args"]["batch"]);
    EXPECT_EQ(arrow["tid"], 1);
    EXPECT_LE(batch["ts"], arrow["ts"]);
    EXPECT_LT(arrow["ts"].get<double>(), end_of(batch));
  }
}

TEST_P(TraceJson, NamesItsTracks) {
  std::set<std::string> names;
  for (const Json& event : events_of(run(), "M")) {
    if (event["name"] == "thread_name") names.insert(event["args"]["name"]);
  }
  EXPECT_EQ(names.size(), 1U + static_cast<std::size_t>(std::max(1, GetParam())));
  EXPECT_TRUE(names.contains("front end"));
  EXPECT_TRUE(names.contains("worker 0"));
}

INSTANTIATE_TEST_SUITE_P(Workers, TraceJson, ::testing::Values(0, 1, 2));

/// What a test records by hand, and what that becomes.
class TraceOfEvents : public ::testing::Test {
 protected:
  TraceOfEvents() { recorder_.start(); }

  static TimePoint at(std::int64_t microseconds) {
    return TimePoint(std::chrono::microseconds(microseconds));
  }
  void push(std::uint64_t sequence, std::int64_t time) {
    recorder_.on_push({.sequence = sequence, .name = "x", .time = at(time)});
  }
  void execute(std::uint64_t sequence, std::int64_t begun, std::int64_t ended) {
    recorder_.on_start({.sequence = sequence, .name = "x", .worker = 0, .time = at(begun)});
    recorder_.on_finish({.sequence = sequence, .name = "x", .worker = 0, .time = at(ended)});
  }
  Json trace() {
    return parse_json(
        trace_json(recorder_.close(), {.name = "test", .origin = at(0), .samples = samples_}),
        "trace");
  }

  TraceRecorder recorder_{1, {.operations = 4, .batches = 4, .waits = 4}};
  const memory::SampleSeries* samples_ = nullptr;
};

TEST_F(TraceOfEvents, ShowsWhatBlockedTheFrontEndWithinItsPhase) {
  recorder_.enter(Phase::kWaitBefore, at(10));
  recorder_.enter(Phase::kData, at(11));
  recorder_.enter(Phase::kIssue, at(20));
  recorder_.on_wait_begin({.cause = engine::WaitCause::kLimit, .time = at(25)});
  recorder_.on_wait_end({.cause = engine::WaitCause::kLimit, .time = at(35)});
  recorder_.enter(Phase::kWaitAfter, at(40));
  recorder_.end_batch(at(50));
  const Json trace = this->trace();

  EXPECT_THAT(names_of(events_of(trace, "X")), ElementsAre("batch 1", "wait", "data", "issue",
                                                           "wait", "held at the run-ahead limit"));
  expect_nested(trace);
}

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
}

TEST_F(TraceOfEvents, HasACounterEventWhereverAValueChanges) {
  memory::SampleSeries samples({"rss_bytes", "unknown", "batches_in_flight"}, 256);
  samples.append(at(1), std::vector<memory::Reading>{5, 1, std::nullopt});
  samples.append(at(2), std::vector<memory::Reading>{5, 2, 0});
  samples.append(at(3), std::vector<memory::Reading>{6, 3, std::nullopt});
  samples.append(at(4), std::vector<memory::Reading>{5, 4, 0});
  samples_ = &samples;
  const Json trace = this->trace();

  std::vector<std::string> shown;
  for (const Json& event : events_of(trace, "C")) {
    shown.push_back(event["name"].get<std::string>() + " " + event["ts"].dump() + " " +
                    event["args"].begin()->dump());
  }
  EXPECT_THAT(shown, ElementsAre("RSS 1 5", "batches 2 0", "RSS 3 6", "RSS 4 5"));
  EXPECT_EQ(trace["otherData"]["counter_events"], 4);
}

TEST_F(TraceOfEvents, IsWrittenWhole) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "trace.json";
  execute(1, 1, 2);
  write_trace(path, recorder_.close(), {.name = "test", .origin = at(0)});

  EXPECT_EQ(test::read_text(path),
            trace_json(recorder_.close(), {.name = "test", .origin = at(0)}));
}

}  // namespace
}  // namespace runahead::trace
