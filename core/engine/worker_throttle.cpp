#include "core/engine/worker_throttle.h"

namespace runahead::engine {

bool WorkerThrottle::take(Account& account, int worker) noexcept {
  const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
  account.is_overlapped = account.last_turn != 0 && account.last_turn != turns;
  if (account.is_overlapped && account.was_short && last_worker() < worker) return true;
  account.last_turn = turns + 1;
  last_worker_.store(worker, std::memory_order_relaxed);
  turns_.store(turns + 1, std::memory_order_relaxed);
  return false;
}

bool WorkerThrottle::are_quick(TimePoint now) noexcept {
  const Clock::duration watched = now - watched_at_.load(std::memory_order_relaxed);
  if (watched >= kWatchTime) {
    watched_at_.store(now, std::memory_order_relaxed);
    const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
    const std::uint64_t taken = turns - turns_watched_.exchange(turns, std::memory_order_relaxed);
    are_quick_.store(taken > static_cast<std::uint64_t>(watched / kLongTurn),
                     std::memory_order_relaxed);
  }
  return are_quick_.load(std::memory_order_relaxed);
}

}  // namespace runahead::engine
