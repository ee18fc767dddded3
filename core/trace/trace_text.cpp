#include "core/trace/trace_text.h"

#include <algorithm>
#include <chrono>

#include "core/base/number_text.h"

namespace runahead::trace {
namespace {

constexpr std::int64_t kNanosecondsPerMicrosecond = 1000;

void append_quoted(std::string& text, std::string_view value) {
  text += '"';
  for (const char character : value) {
    if (character == '"' || character == '\\') text += '\\';
    const bool is_control = static_cast<unsigned char>(character) < 0x20;
    text += is_control ? ' ' : character;
  }
  text += '"';
}

}  // namespace

Arguments& Arguments::add(std::string_view key, std::uint64_t value) {
  add_key(key);
  append_number(text_, value);
  return *this;
}

Arguments& Arguments::add(std::string_view key, std::string_view text) {
  add_key(key);
  append_quoted(text_, text);
  return *this;
}

Arguments& Arguments::add_flag(std::string_view key) {
  add_key(key);
  text_ += "true";
  return *this;
}

void Arguments::add_key(std::string_view key) {
  if (!text_.empty()) text_ += ',';
  append_quoted(text_, key);
  text_ += ':';
}

TraceText::TraceText(TimePoint origin, std::size_t expected_bytes) : origin_(origin) {
  text_.reserve(expected_bytes);
}

std::int64_t TraceText::nanoseconds_of(TimePoint time) const noexcept {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time - origin_).count();
  return std::max<std::int64_t>(0, since);
}

void TraceText::name_process(std::string_view name) {
  begin_event("M");
  add_name("process_name");
  text_.append(",\"args\":{").append(Arguments().add("name", name).text()).append("}}");
}

void TraceText::name_track(Track track, std::string_view name) {
  begin_event("M");
  add_track(track);
  add_name("thread_name");
  text_.append(",\"args\":{").append(Arguments().add("name", name).text()).append("}}");
  begin_event("M");
  add_track(track);
  add_name("thread_sort_index");
  const auto position = static_cast<std::uint64_t>(track.number);
  text_.append(",\"args\":{").append(Arguments().add("sort_index", position).text()).append("}}");
}

void TraceText::slice(Track track, Span span, std::string_view name, std::string_view category,
                      const Arguments& arguments) {
  begin_event("X");
  add_track(track);
  add_time("ts", span.begun);
  add_time("dur", span.ended - span.begun);
  add_name(name);
  text_.append(",\"cat\":\"").append(category).append("\"");
  if (!arguments.text().empty()) text_.append(",\"args\":{").append(arguments.text()).append("}");
  text_ += '}';
}

void TraceText::begin_flow(Track track, std::int64_t time, std::uint64_t id) {
  begin_event("s");
  add_flow(track, time, "", id);
}

void TraceText::end_flow(Track track, std::int64_t time, std::uint64_t id) {
  begin_event("f");
  add_flow(track, time, ",\"bp\":\"e\"", id);
}

void TraceText::add_flow(Track track, std::int64_t time, std::string_view binding,
                         std::uint64_t id) {
  add_track(track);
  add_time("ts", time);
  text_.append(",\"name\":\"runs\",\"cat\":\"flow\"").append(binding).append(",\"id\":");
  append_number(text_, id);
  text_ += '}';
}

void TraceText::counter(std::int64_t time, std::string_view name, std::string_view key,
                        std::uint64_t value) {
  begin_event("C");
  add_time("ts", time);
  add_name(name);
  text_.append(",\"args\":{").append(Arguments().add(key, value).text()).append("}}");
}

void TraceText::begin_event(std::string_view phase) {
  if (!text_.empty()) text_.append(",\n");
  text_.append("{\"ph\":\"").append(phase).append("\",\"pid\":1");
}

void TraceText::add_track(Track track) {
  text_.append(",\"tid\":");
  append_number(text_, track.number);
}

// In microseconds, with nanosecond precision.
void TraceText::add_time(std::string_view key, std::int64_t nanoseconds) {
  text_.append(",\"").append(key).append("\":");
  append_number(text_, nanoseconds / kNanosecondsPerMicrosecond);
  const std::int64_t rest = nanoseconds % kNanosecondsPerMicrosecond;
  if (rest == 0) return;
  text_ += '.';
  if (rest < 100) text_ += '0';
  if (rest < 10) text_ += '0';
  append_number(text_, rest);
}

void TraceText::add_name(std::string_view name) {
  text_.append(",\"name\":");
  append_quoted(text_, name);
}

}  // namespace runahead::trace
