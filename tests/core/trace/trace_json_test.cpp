#include "core/trace/trace_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/engine/engine.h"
#include "core/trace/trace_recorder.h"
#include "core/trace/trace_text.h"

namespace runahead::trace {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace runahead::trace
