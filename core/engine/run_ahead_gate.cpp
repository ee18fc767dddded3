#include "core/engine/run_ahead_gate.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/engine/spin.h"

namespace runahead::engine {
namespace {

// Committed bytes and ages also change without an operation finishing (the front end drops a
// tensor), so held threads recheck this often.
constexpr std::chrono::milliseconds kRecheckTime{5};

}  // namespace

void require_valid(const RunAheadLimit& limit, const Ledger* ledger) {
  RUNAHEAD_REQUIRE(!limit.operations || *limit.operations >= 1,
                   "a run-ahead limit of 0 operations: at least 1 must be allowed");
  RUNAHEAD_REQUIRE(
      !limit.seconds || *limit.seconds > 0.0,
      "a run-ahead limit of " + std::to_string(*limit.seconds) + " seconds: it must be positive");
  RUNAHEAD_REQUIRE(!limit.bytes || ledger != nullptr,
                   "a run-ahead limit of bytes needs a ledger that counts them");
  RUNAHEAD_REQUIRE(!limit.notice_bytes || limit.bytes,
                   "a run-ahead limit that is to notify of bytes needs a limit of bytes");
}

RunAheadGate::RunAheadGate(InFlight& in_flight, Ledger* ledger, const RunAheadLimit& limit)
    : in_flight_(in_flight), ledger_(ledger), limit_(limit) {
  require_valid(limit, ledger);
}

void RunAheadGate::set_limit(const RunAheadLimit& limit) {
  require_valid(limit, ledger_);
  const bool has_other_bytes =
      limit.bytes != limit_.bytes || limit.notice_bytes != limit_.notice_bytes;
  if (has_other_bytes) has_noticed_backlog_ = has_noticed_excess_ = false;
  limit_ = limit;
  may_push_.notify_all();
}

std::optional<LimitNotice> RunAheadGate::admit(const Claim& claim,
                                               std::unique_lock<std::mutex>& push_lock,
                                               ReportedWait& wait) {
  if (must_wait(claim)) {
    collect_free();
    if (must_wait(claim) && in_flight_.operations() != 0) {
      wait.begin();
      hold(claim, push_lock, wait);
      collect_free();
    }
    // Check again: the operations in flight may have finished since.
    if (!is_within_bytes(claim)) return notice_of_excess(claim);
  }
  return notice_of_backlog(claim);
}

void RunAheadGate::collect_free() noexcept {
  if (ledger_ != nullptr) ledger_->collect_free();
}

bool RunAheadGate::must_wait(const Claim& claim) const noexcept {
  return is_oversized_waiting() || !is_within(claim);
}

bool RunAheadGate::is_within(const Claim& claim) const noexcept {
  if (!is_within_bytes(claim)) return false;
  return claim.is_now || ((!limit_.operations || !in_flight_.is_above(*limit_.operations - 1)) &&
                          (!limit_.seconds || in_flight_.oldest_seconds() < *limit_.seconds));
}

bool RunAheadGate::is_within_bytes(const Claim& claim) const noexcept {
  if (!limit_.bytes || claim.bytes == 0) return true;
  if (ledger_->is_within(*limit_.bytes, claim, oldest_seen_)) return true;
  const std::uint64_t oldest = in_flight_.oldest();
  if (oldest == oldest_seen_) return false;
  oldest_seen_ = oldest;
  return ledger_->is_within(*limit_.bytes, claim, oldest_seen_);
}

bool RunAheadGate::admits(const Claim& claim) const noexcept {
  return !must_wait(claim) || in_flight_.operations() == 0;
}

bool RunAheadGate::is_oversized_waiting() const noexcept {
  return limit_.bytes &&
         std::any_of(sleeping_claims_.begin(), sleeping_claims_.end(),
                     [this](const Claim* claim) { return claim->bytes > *limit_.bytes; });
}

void RunAheadGate::hold(const Claim& claim, std::unique_lock<std::mutex>& push_lock,
                        ReportedWait& wait) {
  const InFlight::Waiting waiting(in_flight_);
  spin(push_lock);
  if (!admits(claim)) sleep(claim, push_lock, wait);
}

void RunAheadGate::renew_watermark() noexcept {
  const std::uint64_t operations = in_flight_.operations();
  low_operations_.store(operations - (operations + 3) / 4);
  sleeping_.store(sleeping_claims_.size());
}

void RunAheadGate::sleep(const Claim& claim, std::unique_lock<std::mutex>& push_lock,
                         ReportedWait& wait) {
  sleeping_claims_.push_back(&claim);
  renew_watermark();
  in_flight_.synchronise();
  try {
    while (!admits(claim)) {
      may_push_.wait_for(push_lock, kRecheckTime);
      collect_free();
      wait.check(push_lock);
    }
  } catch (...) {
    stop_sleeping(claim);
    throw;
  }
  stop_sleeping(claim);
}

void RunAheadGate::stop_sleeping(const Claim& claim) noexcept {
  std::erase(sleeping_claims_, &claim);
  renew_watermark();
}

void RunAheadGate::spin(std::unique_lock<std::mutex>& push_lock) const {
  const std::uint64_t operations = in_flight_.operations();
  push_lock.unlock();
  spin_until([&] { return in_flight_.operations() < operations; });
  push_lock.lock();
}

void RunAheadGate::on_finish(std::mutex& push_mutex) noexcept {
  if (sleeping_.load() == 0 || in_flight_.operations() > low_operations_.load()) return;
  const std::lock_guard lock(push_mutex);
  const bool is_any_admitted = std::any_of(sleeping_claims_.begin(), sleeping_claims_.end(),
                                           [this](const Claim* claim) { return admits(*claim); });
  if (is_any_admitted) may_push_.notify_all();
}

std::optional<LimitNotice> RunAheadGate::notice_of_excess(const Claim& claim) noexcept {
  if (std::exchange(has_noticed_excess_, true)) return std::nullopt;
  return make_notice(LimitNotice::Kind::kExceeded, claim);
}

std::optional<LimitNotice> RunAheadGate::notice_of_backlog(const Claim& claim) noexcept {
  if (!limit_.notice_bytes || has_noticed_backlog_ || claim.bytes == 0) return std::nullopt;
  if (!ledger_->is_backlog_above(*limit_.notice_bytes, oldest_seen_)) return std::nullopt;
  oldest_seen_ = in_flight_.oldest();
  if (!ledger_->is_backlog_above(*limit_.notice_bytes, oldest_seen_)) return std::nullopt;
  has_noticed_backlog_ = true;
  return make_notice(LimitNotice::Kind::kLargeBacklog, claim);
}

LimitNotice RunAheadGate::make_notice(LimitNotice::Kind kind, const Claim& claim) const noexcept {
  return {.kind = kind,
          .limit_bytes = *limit_.bytes,
          .committed_bytes = ledger_->committed_bytes(in_flight_.oldest()),
          .backlog_bytes = ledger_->backlog_bytes(in_flight_.oldest()),
          .cost_bytes = claim.bytes,
          .operations = in_flight_.operations()};
}

}  // namespace runahead::engine
