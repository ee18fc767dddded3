#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/clock.h"

namespace runahead::trace {

/// The `args` of an event: keys and values, in insertion order. Keys are literals.
class Arguments {
 public:
  Arguments& add(std::string_view key, std::uint64_t value);
  Arguments& add(std::string_view key, std::string_view text);
  Arguments& add_flag(std::string_view key);  ///< `key`: true.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  void add_key(std::string_view key);
  std::string text_{};
};

/// A row of the timeline.
struct Track {
  int number = 1;
};

/// From `begun` to `ended`, in nanoseconds since the trace's time 0.
struct Span {
  std::int64_t begun = 0;
  std::int64_t ended = 0;
};

/// The text of a Chrome trace's `traceEvents`, one event per line, all in one process.
/// Source of the format: "Trace Event Format", Google, 2016.
class TraceText {
 public:
  /// @param origin  The trace's time 0. Earlier events are moved to it.
  TraceText(TimePoint origin, std::size_t expected_bytes);

  [[nodiscard]] std::int64_t nanoseconds_of(TimePoint time) const noexcept;

  void name_process(std::string_view name);
  /// Tracks are shown in the order of their numbers.
  void name_track(Track track, std::string_view name);
  void slice(Track track, Span span, std::string_view name, std::string_view category,
             const Arguments& arguments = {});
  /// Begins an arrow between the slices that enclose its two ends. `id` is unique to the arrow.
  void begin_flow(Track track, std::int64_t time, std::uint64_t id);
  void end_flow(Track track, std::int64_t time, std::uint64_t id);
  /// `key`, a literal, names what the value counts.
  void counter(std::int64_t time, std::string_view name, std::string_view key, std::uint64_t value);

  /// Removes and returns the events, separated by commas and newlines.
  [[nodiscard]] std::string take() noexcept { return std::move(text_); }

 private:
  void begin_event(std::string_view phase);
  void add_track(Track track);
  /// Writes the rest of a flow event. @param binding  JSON that binds its end; may be empty.
  void add_flow(Track track, std::int64_t time, std::string_view binding, std::uint64_t id);
  void add_time(std::string_view key, std::int64_t nanoseconds);
  void add_name(std::string_view name);

  TimePoint origin_;
  std::string text_{};
};

}  // namespace runahead::trace
