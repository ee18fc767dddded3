#include "core/engine/run_ahead_gate.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/engine/spin.h"

namespace runahead::engine {
namespace {

// Committed bytes and ages change without an operation finishing, too (the front end drops a
// tensor): held threads look again this often.
constexpr std::chrono::milliseconds kRecheckTime{5};

std::uint64_t low_operations(const RunAheadLimit& limit) noexcept {
  if (!limit.operations) return std::numeric_limits<std::uint64_t>::max() - 1;
  return *limit.operations - std::max<std::uint64_t>(1, *limit.operations / 4);
}

}  // namespace

void require_valid(const RunAheadLimit& limit, const Ledger* ledger) {
  RUNAHEAD_REQUIRE(!limit.operations || *limit.operations >= 1,
                   "a run-ahead limit of 0 operations: at least 1 must be allowed");
  RUNAHEAD_REQUIRE(
      !limit.seconds || *limit.seconds > 0.0,
      "a run-ahead limit of " + std::to_string(*limit.seconds) + " seconds: it must be positive");
  RUNAHEAD_REQUIRE(!limit.bytes || ledger != nullptr,
                   "a run-ahead limit of bytes needs a ledger that counts them");
}

RunAheadGate::RunAheadGate(InFlight& in_flight, const Ledger* ledger, const RunAheadLimit& limit)
    : in_flight_(in_flight), ledger_(ledger), limit_(limit) {
  require_valid(limit, ledger);
}

void RunAheadGate::set_limit(const RunAheadLimit& limit) {
  require_valid(limit, ledger_);
  limit_ = limit;
  may_push_.notify_all();
}

void RunAheadGate::admit(std::uint64_t cost_bytes, std::unique_lock<std::mutex>& push_lock,
                         AttendedWait& wait) {
  if (admits(cost_bytes)) return;
  wait.begin();
  hold(cost_bytes, push_lock);
}

bool RunAheadGate::admits(std::uint64_t cost_bytes) const noexcept {
  const bool is_within =
      (!limit_.operations || !in_flight_.is_above(*limit_.operations - 1)) &&
      (!limit_.bytes || ledger_->committed_bytes_with(cost_bytes) <= *limit_.bytes) &&
      (!limit_.seconds || in_flight_.oldest_seconds() < *limit_.seconds);
  return is_within || in_flight_.operations() == 0;
}

bool RunAheadGate::is_at_low_mark() const noexcept {
  if (in_flight_.operations() > low_operations(limit_)) return false;
  if (in_flight_.operations() == 0) return true;
  if (limit_.bytes && ledger_->committed_bytes_with(0) > *limit_.bytes - *limit_.bytes / 8) {
    return false;
  }
  return !limit_.seconds || in_flight_.oldest_seconds() < *limit_.seconds;
}

void RunAheadGate::hold(std::uint64_t cost_bytes, std::unique_lock<std::mutex>& push_lock) {
  const InFlight::Waiting waiting(in_flight_);
  spin(push_lock);
  if (admits(cost_bytes)) return;
  sleeping_.fetch_add(1);
  in_flight_.synchronise();
  while (!admits(cost_bytes)) may_push_.wait_for(push_lock, kRecheckTime);
  sleeping_.fetch_sub(1);
}

void RunAheadGate::spin(std::unique_lock<std::mutex>& push_lock) const {
  const std::uint64_t low = low_operations(limit_);
  const std::uint64_t operations = in_flight_.operations();
  push_lock.unlock();
  spin_until([&] { return in_flight_.operations() < std::min(operations, low + 1); });
  push_lock.lock();
}

void RunAheadGate::on_finish(std::mutex& push_mutex) noexcept {
  if (sleeping_.load() == 0) return;
  const std::lock_guard lock(push_mutex);
  if (is_at_low_mark()) may_push_.notify_all();
}

}  // namespace runahead::engine
