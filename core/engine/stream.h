#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/engine/event.h"
#include "core/engine/operation.h"
#include "core/engine/spin.h"

namespace runahead::engine {

class Engine;

/// A sequence of operations with its own events. It does not order its operations: their reads and
/// writes do, within one stream and across several. It adds `wait_for`.
///
/// Operations name it (`Operation::stream`); it must outlive them. Thread-safe. An idle stream may
/// be used with another engine.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Operations pushed on this stream from now on start after `event`. Never blocks.
  void wait_for(const Event& event);

  /// Whether everything pushed on it and every event that it waits for has finished. Never blocks.
  [[nodiscard]] bool is_idle() const;

  // For the engine, under its push lock. Called first for each operation: adds to its accesses. May
  // throw std::bad_alloc.
  void order(Operation& operation);
  // Called next, with the event that the operation records, or null.
  void note_push(const Event* recorded) noexcept;
  // For the engine, once for each operation that finishes.
  void note_finish() noexcept { finished_.fetch_add(1, std::memory_order_release); }

 private:
  mutable SpinLock lock_{};
  /// Read by operations that no event covers yet; null if there are none.
  VariablePtr uncovered_{};
  Event last_event_{};          ///< The last event recorded.
  std::vector<Event> awaited_;  ///< Later operations start after these: at most one per stream.
  std::uint64_t pushed_ = 0;
  std::atomic<std::uint64_t> finished_{0};
};

/// Records an event on `stream`, or on the engine's default stream if it is null. May block at the
/// run-ahead limit, like any push.
[[nodiscard]] Event record_event(Engine& engine, Stream* stream);

}  // namespace runahead::engine
