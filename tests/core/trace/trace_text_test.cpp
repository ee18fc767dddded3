#include "core/trace/trace_text.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/base/json.h"

namespace runahead::trace {
namespace {

constexpr TimePoint kOrigin = TimePoint(std::chrono::seconds(100));
constexpr Track kTrack{3};

TEST(TraceText, TellsTimesInMicrosecondsToTheNanosecond) {
  TraceText text(kOrigin, 0);
  text.slice(kTrack, {.begun = 1'002'003, .ended = 1'002'070}, "aten::mm", "operation");
  EXPECT_EQ(text.take(), R"({"ph":"X","pid":1,"tid":3,"ts":1002.003,"dur":0.067,"name":"aten::mm",)"
                         R"("cat":"operation"})");
}

TEST(TraceText, CountsFromTheOriginAndShowsWhatCameBeforeThere) {
  const TraceText text(kOrigin, 0);
  EXPECT_EQ(text.nanoseconds_of(kOrigin + std::chrono::microseconds(7)), 7'000);
  EXPECT_EQ(text.nanoseconds_of(kOrigin - std::chrono::seconds(1)), 0);
}

TEST(TraceText, IsJsonWhateverANameHolds) {
  TraceText text(kOrigin, 0);
  text.slice(kTrack, {}, "a \"quoted\" \\ name\n", "operation",
             Arguments().add("on", std::string_view("\"\\\t")).add("bytes", 5).add_flag("failed"));
  const Json event = parse_json(text.take(), "event");
  EXPECT_EQ(event["name"], "a \"quoted\" \\ name ");
  EXPECT_EQ(event["args"]["on"], "\"\\ ");
  EXPECT_EQ(event["args"]["bytes"], 5);
  EXPECT_EQ(event["args"]["failed"], true);
}

TEST(TraceText, SeparatesEvents) {
  TraceText text(kOrigin, 0);
  text.name_process("runahead");
  text.name_track(kTrack, "worker 1");
  text.begin_flow(kTrack, 1'000, 9);
  text.end_flow(kTrack, 2'000, 9);
  text.counter(3'500, "RSS", "bytes", 42);
  const Json events = parse_json("[" + text.take() + "]", "events");
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(events[3]["ph"], "s");
  EXPECT_EQ(events[4]["bp"], "e");
  EXPECT_EQ(events[3]["id"], events[4]["id"]);
  EXPECT_EQ(events[5]["ts"], 3.5);
  EXPECT_EQ(events[5]["args"]["bytes"], 42);
}

}  // namespace
}  // namespace runahead::trace
