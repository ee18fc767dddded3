#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "core/engine/attended_wait.h"
#include "core/engine/in_flight.h"
#include "core/engine/ledger.h"
#include "core/engine/run_ahead_limit.h"

namespace runahead::engine {

/// Holds pushing threads while the run-ahead limit is reached.
///
/// A push is admitted while it stays within the limit (the high watermark), and always when nothing
/// is in flight: an operation larger than the whole budget runs alone, and there is no deadlock.
/// Once held, pushing threads are woken only at the low watermark, three quarters of the limit's
/// operations and seven eighths of its bytes, so that they are not woken per operation.
class RunAheadGate {
 public:
  /// `in_flight` and `ledger` must outlive the gate. `ledger` may be null.
  RunAheadGate(InFlight& in_flight, const Ledger* ledger, const RunAheadLimit& limit);

  /// Blocks while an operation of `cost_bytes` must not be pushed; `push_lock` is released
  /// meanwhile. `wait` begins if it blocks; it must end after `push_lock` is released.
  void admit(std::uint64_t cost_bytes, std::unique_lock<std::mutex>& push_lock, AttendedWait& wait);

  /// Wakes held threads if the low watermark is reached. After every operation that finished.
  void on_finish(std::mutex& push_mutex) noexcept;

  /// Push lock. @throws UsageError if `limit` is out of range, or counts bytes without a ledger.
  void set_limit(const RunAheadLimit& limit);
  [[nodiscard]] const RunAheadLimit& limit() const noexcept { return limit_; }  ///< Push lock.

 private:
  [[nodiscard]] bool admits(std::uint64_t cost_bytes) const noexcept;
  [[nodiscard]] bool is_at_low_mark() const noexcept;
  void hold(std::uint64_t cost_bytes, std::unique_lock<std::mutex>& push_lock);
  void spin(std::unique_lock<std::mutex>& push_lock) const;

  InFlight& in_flight_;
  const Ledger* ledger_;
  RunAheadLimit limit_;
  std::atomic<int> sleeping_{0};  ///< Held threads that wait for may_push_.
  std::condition_variable may_push_;
};

/// @throws UsageError if `limit` is out of range, or counts bytes without a ledger.
void require_valid(const RunAheadLimit& limit, const Ledger* ledger);

}  // namespace runahead::engine
