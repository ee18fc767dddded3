#include "core/engine/stream.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "core/engine/engine.h"

namespace runahead::engine {

// The last event of a stream implies its earlier ones.
void Stream::wait_for(const Event& event) {
  if (event.is_finished()) return;
  const std::lock_guard lock(lock_);
  std::erase_if(awaited_, [](const Event& other) { return other.is_finished(); });
  const auto same = std::find_if(awaited_.begin(), awaited_.end(), [&](const Event& other) {
    return other.source() == event.source();
  });
  if (same == awaited_.end()) {
    awaited_.push_back(event);
  } else if (same->sequence() < event.sequence()) {
    *same = event;
  }
}

bool Stream::is_idle() const {
  const std::lock_guard lock(lock_);
  const bool is_held_back = std::any_of(awaited_.begin(), awaited_.end(),
                                        [](const Event& event) { return !event.is_finished(); });
  if (is_held_back) return false;
  if (!uncovered_ && last_event_.is_finished()) return true;
  return finished_.load(std::memory_order_acquire) == pushed_;
}

void Stream::order(Operation& operation) {
  const std::lock_guard lock(lock_);
  std::erase_if(awaited_, [](const Event& event) { return event.is_finished(); });
  for (const Event& event : awaited_) {
    operation.accesses.push_back({event.variable(), AccessMode::kRead});
  }
  if (operation.records == nullptr) {
    if (!uncovered_) uncovered_ = make_variable();
    operation.accesses.push_back({uncovered_, AccessMode::kRead});
    return;
  }
  if (uncovered_) operation.accesses.push_back({uncovered_, AccessMode::kOverwrite});
  if (!last_event_.is_finished()) {
    operation.accesses.push_back({last_event_.variable(), AccessMode::kRead});
  }
}

void Stream::note_push(const Event* recorded) noexcept {
  const std::lock_guard lock(lock_);
  ++pushed_;
  if (recorded == nullptr) return;
  uncovered_ = {};
  last_event_ = *recorded;
}

// Uses the highest priority: an event that is due must not wait for later work.
Event record_event(Engine& engine, Stream* stream) {
  const Event event = Event::make(stream);
  engine.push({.name = "event",
               .body = [recorded = event] { recorded.finish(); },
               .accesses = {{event.variable(), AccessMode::kOverwrite}},
               .priority = std::numeric_limits<int>::max(),
               .stream = stream,
               .records = &event});
  return event;
}

}  // namespace runahead::engine
