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
/// A claim is admitted while it stays within the limit (the high watermark), and always when
/// nothing is in flight: an operation larger than the whole budget runs alone, and a front end that
/// itself holds what would have to be freed is not held forever. Operations that allocate nothing
/// are not held at a limit of bytes, because they lead to memory being freed. While a claim larger
/// than the whole budget waits, all others wait behind it.
///
/// Held threads are woken below the low watermark, three quarters of the operations that were in
/// flight when the last of them arrived, as soon as one of them would be admitted. They are thus
/// not woken per operation, and the queue does not run empty.
class RunAheadGate {
 public:
  /// `in_flight` and `ledger` must outlive the gate. `ledger` may be null.
  RunAheadGate(InFlight& in_flight, Ledger* ledger, const RunAheadLimit& limit);

  /// Blocks while `claim` must not be admitted; `push_lock` is released meanwhile. A claim that
  /// is_now is held at the limit of bytes alone. `wait` begins if it blocks; it must end after
  /// `push_lock` is released.
  /// @return what to notify of, once the lock is released.
  [[nodiscard]] std::optional<LimitNotice> admit(const Claim& claim,
                                                 std::unique_lock<std::mutex>& push_lock,
                                                 ReportedWait& wait);

  /// Wakes held threads at the low watermark. After every operation that finished.
  void on_finish(std::mutex& push_mutex) noexcept;

  /// Push lock. @throws UsageError if `limit` is out of range, or counts bytes without a ledger.
  void set_limit(const RunAheadLimit& limit);
  [[nodiscard]] const RunAheadLimit& limit() const noexcept { return limit_; }  ///< Push lock.

 private:
  [[nodiscard]] bool is_within(const Claim& claim) const noexcept;
  [[nodiscard]] bool is_within_bytes(const Claim& claim) const noexcept;
  [[nodiscard]] bool admits(const Claim& claim) const noexcept;
  /// Whether a claim larger than the whole budget sleeps.
  [[nodiscard]] bool is_oversized_waiting() const noexcept;
  void hold(const Claim& claim, std::unique_lock<std::mutex>& push_lock);
  void spin(std::unique_lock<std::mutex>& push_lock) const;
  void sleep(const Claim& claim, std::unique_lock<std::mutex>& push_lock);
  void renew_watermark() noexcept;
  [[nodiscard]] std::optional<LimitNotice> notice_of_excess(const Claim& claim) noexcept;
  [[nodiscard]] std::optional<LimitNotice> notice_of_backlog(const Claim& claim) noexcept;
  [[nodiscard]] LimitNotice make_notice(LimitNotice::Kind kind, const Claim& claim) const noexcept;

  InFlight& in_flight_;
  Ledger* ledger_;
  RunAheadLimit limit_;
  bool has_noticed_backlog_ = false;
  bool has_noticed_excess_ = false;
  /// As of the last look, which costs a transfer between CPUs: an older number counts more as
  /// committed, never less. Push lock.
  mutable std::uint64_t oldest_seen_ = 0;
  std::vector<const Claim*> sleeping_claims_{};   ///< Of held threads that sleep. Push lock.
  std::atomic<std::size_t> sleeping_{0};          ///< How many they are.
  std::atomic<std::uint64_t> low_operations_{0};  ///< The low watermark, while any sleeps.
  std::condition_variable may_push_;
};

/// @throws UsageError if `limit` is out of range, or counts bytes without a ledger.
void require_valid(const RunAheadLimit& limit, const Ledger* ledger);

}  // namespace runahead::engine
