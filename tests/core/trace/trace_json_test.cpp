#include "core/trace/trace_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/engine/engine.h"
#include "core/trace/trace_recorder.h"
#include "core/trace/trace_text.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::trace {
namespace {

using ::testing::ElementsAre;

constexpr int kBatches = 20;
constexpr int kOperationsPerBatch = 10;

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

std::vector<std::string> names_of(const std::vector<Json>& events) {
  std::vector<std::string> names;
  for (const Json& event : events) names.push_back(event["name"]);
  return names;
}

double end_of(const Json& slice) { return slice["ts"].get<double>() + slice["dur"].get<double>(); }

/// Expects each slice of a track to lie within those that are open where it begins.
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
  expect_nested(trace);

  std::set<std::string> tracks;
  for (const Json& event : events_of(trace, "M")) {
    if (event["name"] == "thread_name") tracks.insert(event["args"]["name"]);
  }
  EXPECT_EQ(tracks.size(), 1U + static_cast<std::size_t>(std::max(1, GetParam())));
  EXPECT_TRUE(tracks.contains("front end"));
  EXPECT_TRUE(tracks.contains("worker 0"));
}

INSTANTIATE_TEST_SUITE_P(Workers, TraceJson, ::testing::Values(0, 1, 2));

/// A trace of events recorded by hand.
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
  const Json summary = summary_of(recorder_.close());
  EXPECT_EQ(summary["operations_recorded"], 4);
  EXPECT_EQ(summary["operations_left_out"], 6);
  EXPECT_EQ(summary["batches_recorded"], 1);
  EXPECT_EQ(summary["batches_left_out"], 0);
  EXPECT_EQ(summary["waits_recorded"], 0);
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

}  // namespace
}  // namespace runahead::trace
