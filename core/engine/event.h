#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "core/engine/variable.h"

namespace runahead::engine {

class Engine;
class Stream;

/// A point in a stream. It is finished once everything pushed on the stream before it has finished,
/// as well as every event that the stream waited for or recorded before it. Thread-safe; cheap to
/// copy; may outlive its engine. A default-constructed one is finished.
class Event {
 public:
  Event() noexcept = default;

  /// Never blocks.
  [[nodiscard]] bool is_finished() const noexcept;
  /// When it finished; nullopt before, and for a default-constructed one.
  [[nodiscard]] std::optional<TimePoint> finished_at() const noexcept;
  /// Null for a default-constructed event. Otherwise pass it to `Engine::wait_for`. It is never
  /// poisoned, so the wait never throws an operation's failure.
  [[nodiscard]] const VariablePtr& variable() const noexcept { return variable_; }

 private:
  friend class Stream;
  friend Event record_event(Engine& engine, Stream* stream);
  struct Point;

  [[nodiscard]] static Event make(const Stream* source);
  [[nodiscard]] Point& point() const noexcept;
  void finish() const noexcept;
  /// Null for the default stream.
  [[nodiscard]] const Stream* source() const noexcept;
  /// Its number in the order of pushes.
  [[nodiscard]] std::uint64_t sequence() const noexcept;

  VariablePtr variable_{};
};

}  // namespace runahead::engine
