#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/engine/finish_window.h"
#include "core/engine/marker.h"
#include "core/engine/operation_node.h"
#include "core/engine/push_times.h"
#include "core/engine/reported_wait.h"

namespace runahead::engine {

/// The operations pushed but not finished: counts, ages, markers, and the waits for them.
///
/// The pushing side and the finishing side count in separate cache lines; the difference is the
/// number in flight. Members marked "push lock" must be called under the engine's push lock; the
/// others are thread-safe.
class InFlight {
 public:
  /// Makes room for one more operation, so that finish() cannot fail. Push lock.
  /// @throws std::bad_alloc.
  void reserve();
  /// Counts one more operation. Push lock. Precondition: reserve() was called for it.
  /// @return its sequence number, from 1.
  std::uint64_t note_push() noexcept;
  /// The sequence number of the next operation. Push lock.
  [[nodiscard]] std::uint64_t next_sequence() const noexcept;
  /// Whether more than `count` operations are in flight. Reads the finishing side, which costs a
  /// transfer between CPUs, only when necessary. Push lock.
  [[nodiscard]] bool is_above(std::uint64_t count) noexcept;

  /// Keeps `node`, which is about to be pushed, from becoming ready until everything before it has
  /// finished. Push lock. @throws std::bad_alloc, without effect.
  void hold_back(OperationNode& node);

  /// Counts an operation as finished, runs the callbacks of the markers that this completes,
  /// finishes those markers, and wakes the threads whose wait is over.
  /// @return the held-back operations that are now due; the caller must release each.
  [[nodiscard]] OperationList finish(std::uint64_t sequence) noexcept;

  /// Orders the caller against every finish(): either the caller sees its effects afterwards, or it
  /// sees everything the caller did before.
  void synchronise() const noexcept { const std::lock_guard lock(mutex_); }

  [[nodiscard]] bool is_finished(std::uint64_t sequence) const noexcept;
  /// The number of the oldest operation that has not finished; the next one's if none is in flight.
  [[nodiscard]] std::uint64_t oldest() const noexcept {
    return oldest_.load(std::memory_order_acquire);
  }
  /// Blocks until `sequence` has finished. Begins `wait` if it sleeps.
  /// @throws what the check of `wait` throws.
  void wait_finished(std::uint64_t sequence, ReportedWait& wait);
  /// Blocks until everything pushed before the call has finished, regardless of later pushes.
  /// Begins `wait` if it sleeps. @throws what the check of `wait` throws.
  void wait_pushed(ReportedWait& wait);

  /// Counts its thread as waiting for operations to finish during its lifetime.
  class Waiting {
   public:
    explicit Waiting(InFlight& in_flight) noexcept : in_flight_(in_flight) {
      in_flight_.waiting_.fetch_add(1);
    }
    ~Waiting() { in_flight_.waiting_.fetch_sub(1); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    InFlight& in_flight_;
  };
  [[nodiscard]] bool is_waited_for() const noexcept { return waiting_.load() > 0; }

  /// Marks the current position in the order of pushes. Push lock.
  Marker mark(std::function<void(TimePoint)> on_finished);

  [[nodiscard]] std::uint64_t operations() const noexcept;
  [[nodiscard]] std::uint64_t peak() const noexcept { return peak_.load(); }
  void reset_peak() noexcept;  ///< Push lock.
  /// Age of the oldest operation in flight in seconds; 0 if there is none. Push lock.
  [[nodiscard]] double oldest_seconds() const noexcept;

 private:
  struct Waiter {
    std::uint64_t sequence = 0;
    bool is_for_all_before = false;  ///< Waits for every operation up to `sequence`.
    bool is_over = false;
    std::condition_variable wake{};
  };
  struct PendingMarker {
    std::uint64_t last_sequence = 0;
    std::shared_ptr<MarkerState> state{};
  };
  void sleep_until_over(std::uint64_t sequence, bool is_for_all_before, ReportedWait& wait);
  /// Whether everything up to `sequence` has finished and is counted as finished.
  [[nodiscard]] bool are_finished_until(std::uint64_t sequence) const noexcept;
  [[nodiscard]] bool is_over(const Waiter& waiter) const noexcept;
  void call_back_markers(std::uint64_t sequence, std::unique_lock<std::mutex>& lock) noexcept;
  void finish_markers() noexcept;
  [[nodiscard]] OperationList take_due() noexcept;
  void wake_waiters() noexcept;

  // The pushing side.
  alignas(64) std::atomic<std::uint64_t> pushed_{0};
  std::atomic<std::uint64_t> peak_{0};
  std::uint64_t finished_seen_ = 0;  ///< At most finished_.
  std::uint64_t room_until_ = 0;     ///< The window has room up to this sequence number.
  PushTimes push_times_;

  alignas(64) std::atomic<int> waiting_{0};  ///< Number of waiting threads.

  // The finishing side.
  alignas(64) mutable std::mutex mutex_;
  std::atomic<std::uint64_t> finished_{0};
  std::atomic<std::uint64_t> oldest_{1};  ///< A copy of window_.oldest().
  FinishWindow window_;
  std::deque<PendingMarker> markers_;     ///< In the order of pushes.
  std::deque<OperationNode*> held_back_;  ///< In the order of pushes.
  std::vector<Waiter*> waiters_;
};

}  // namespace runahead::engine
