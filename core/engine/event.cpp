#include "core/engine/event.h"

#include <atomic>

namespace runahead::engine {

struct Event::Point final : Variable {
  explicit Point(const Stream* recorded_on) noexcept : source(recorded_on) {}

  const Stream* const source;
  TimePoint finished_at{};
  std::atomic<bool> is_finished{false};
};

Event Event::make(const Stream* source) {
  Event event;
  event.variable_ = VariablePtr(new Point(source));
  return event;
}

Event::Point& Event::point() const noexcept { return static_cast<Point&>(*variable_); }

bool Event::is_finished() const noexcept {
  return !variable_ || point().is_finished.load(std::memory_order_acquire);
}

std::optional<TimePoint> Event::finished_at() const noexcept {
  if (!variable_ || !is_finished()) return std::nullopt;
  return point().finished_at;
}

void Event::finish() const noexcept {
  point().finished_at = Clock::now();
  point().is_finished.store(true, std::memory_order_release);
}

const Stream* Event::source() const noexcept { return point().source; }

std::uint64_t Event::sequence() const noexcept {
  return push_state_of(*variable_).last_write.load(std::memory_order_relaxed);
}

}  // namespace runahead::engine
