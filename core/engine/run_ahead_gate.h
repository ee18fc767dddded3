#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/engine/in_flight.h"
#include "core/engine/ledger.h"
#include "core/engine/reported_wait.h"
#include "core/engine/run_ahead_limit.h"

namespace runahead::engine {

/// Holds pushing threads while the run-ahead limit is reached.
///
/// A claim is admitted if it stays within the limit (the high watermark), and always if nothing is
/// in flight: an operation larger than the whole budget runs alone, and a front end that itself
/// holds the memory to be freed is not held forever. A byte limit does not hold operations that
/// allocate nothing, because running them leads to memory being freed. While a claim larger than
/// the whole budget waits, all others wait behind it.
///
/// Held threads are woken once the operations in flight drop to the low watermark (three quarters
/// of those in flight when the last thread arrived) and one of the threads would be admitted. This
/// avoids a wake-up per operation, and the queue does not run empty.
class RunAheadGate {
 public:
  /// `in_flight` and `ledger` must outlive the gate. `ledger` may be null.
  RunAheadGate(InFlight& in_flight, Ledger* ledger, const RunAheadLimit& limit);

  /// Blocks while `claim` must not be admitted, releasing `push_lock` meanwhile. A claim with
  /// `is_now` set is held only by the byte limit. Begins `wait` if it blocks; `wait` must end after
  /// `push_lock` is released. @throws what the check of `wait` throws: then nothing is admitted.
  /// @return the notice, if any, to send once the lock is released.
  [[nodiscard]] std::optional<LimitNotice> admit(const Claim& claim,
                                                 std::unique_lock<std::mutex>& push_lock,
                                                 ReportedWait& wait);

  /// Wakes held threads at the low watermark. Called after every operation that finishes.
  void on_finish(std::mutex& push_mutex) noexcept;

  /// Push lock. @throws UsageError if `limit` is out of range, or counts bytes without a ledger.
  void set_limit(const RunAheadLimit& limit);
  [[nodiscard]] const RunAheadLimit& limit() const noexcept { return limit_; }  ///< Push lock.

 private:
  [[nodiscard]] bool is_within(const Claim& claim) const noexcept;
  [[nodiscard]] bool is_within_bytes(const Claim& claim) const noexcept;
  [[nodiscard]] bool must_wait(const Claim& claim) const noexcept;
  [[nodiscard]] bool admits(const Claim& claim) const noexcept;
  void collect_free() noexcept;
  /// Whether the thread of a claim larger than the whole budget is sleeping.
  [[nodiscard]] bool is_oversized_waiting() const noexcept;
  void hold(const Claim& claim, std::unique_lock<std::mutex>& push_lock, ReportedWait& wait);
  void spin(std::unique_lock<std::mutex>& push_lock) const;
  void sleep(const Claim& claim, std::unique_lock<std::mutex>& push_lock, ReportedWait& wait);
  void stop_sleeping(const Claim& claim) noexcept;
  void renew_watermark() noexcept;
  [[nodiscard]] std::optional<LimitNotice> notice_of_excess(const Claim& claim) noexcept;
  [[nodiscard]] std::optional<LimitNotice> notice_of_backlog(const Claim& claim) noexcept;
  [[nodiscard]] LimitNotice make_notice(LimitNotice::Kind kind, const Claim& claim) const noexcept;

  InFlight& in_flight_;
  Ledger* ledger_;
  RunAheadLimit limit_;
  bool has_noticed_backlog_ = false;
  bool has_noticed_excess_ = false;
  /// The last value read from in_flight_.oldest(); a read costs a transfer between CPUs. A stale
  /// value can only overestimate the committed bytes. Push lock.
  mutable std::uint64_t oldest_seen_ = 0;
  std::vector<const Claim*> sleeping_claims_{};   ///< Claims of sleeping threads. Push lock.
  std::atomic<std::size_t> sleeping_{0};          ///< Size of sleeping_claims_.
  std::atomic<std::uint64_t> low_operations_{0};  ///< The low watermark while any sleeps.
  std::condition_variable may_push_;
};

/// @throws UsageError if `limit` is out of range, or counts bytes without a ledger.
void require_valid(const RunAheadLimit& limit, const Ledger* ledger);

}  // namespace runahead::engine
