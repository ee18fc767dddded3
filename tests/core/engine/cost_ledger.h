#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "core/engine/engine.h"
#include "support/gate.h"

namespace runahead::engine::test {

using runahead::test::kTestPatience;

/// Counts an operation's cost as committed from its push to its finish, and bytes admitted at once
/// permanently; also counts how often it is asked.
class CostLedger : public Ledger, public Observer {
 public:
  std::uint64_t reserve(std::uint64_t sequence, std::uint64_t) override { return sequence; }
  void commit(std::uint64_t, std::uint64_t cost_bytes) noexcept override { add(cost_bytes); }
  void commit_now(std::uint64_t bytes, std::uint64_t) noexcept override {
    add(bytes);
    kept_ += bytes;
  }
  std::uint64_t committed_bytes(std::uint64_t) const noexcept override { return committed_; }
  bool is_within(std::uint64_t limit_bytes, const Claim& claim,
                 std::uint64_t) const noexcept override {
    ++times_asked_;
    return committed_ + claim.bytes <= limit_bytes;
  }
  std::uint64_t backlog_bytes(std::uint64_t) const noexcept override { return committed_ - kept_; }
  bool is_backlog_above(std::uint64_t bytes, std::uint64_t oldest) const noexcept override {
    return backlog_bytes(oldest) > bytes;
  }
  void on_finish(const OperationEvent& event) noexcept override { committed_ -= event.cost_bytes; }

  /// The highest sum of two operations or more.
  [[nodiscard]] std::uint64_t shared_peak() const { return peak_; }
  [[nodiscard]] std::uint64_t committed() const { return committed_; }
  [[nodiscard]] std::uint64_t times_asked() const { return times_asked_; }

 private:
  void add(std::uint64_t bytes) noexcept {
    const std::uint64_t before = committed_.fetch_add(bytes);
    if (before == 0 || bytes == 0) return;
    std::uint64_t peak = peak_;
    while (peak < before + bytes && !peak_.compare_exchange_weak(peak, before + bytes)) {
    }
  }

  std::atomic<std::uint64_t> committed_{0};
  std::atomic<std::uint64_t> kept_{0};  ///< Of these, for good.
  std::atomic<std::uint64_t> peak_{0};
  mutable std::atomic<std::uint64_t> times_asked_{0};
};

/// Yields until `condition()` holds; fails after kTestPatience.
template <typename Condition>
[[nodiscard]] bool comes_true(Condition&& condition) {
  const TimePoint deadline = Clock::now() + kTestPatience;
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace runahead::engine::test
