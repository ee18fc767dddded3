#include "core/engine/turns.h"

#include <utility>

#include "core/engine/spin.h"

namespace runahead::engine {

bool Turns::take(Account& account) noexcept {
  const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
  account.is_overlapped = account.last_turn != 0 && account.last_turn != turns;
  // A turn in which a worker leaves does not count: of two that overlap only one stands back.
  if (account.is_overlapped && account.was_short) return true;
  account.last_turn = turns + 1;
  turns_.store(turns + 1, std::memory_order_relaxed);
  return false;
}

bool Turns::are_quiet() noexcept {
  spin_until([] { return false; }, kLongTurn);
  const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
  return turns == std::exchange(turns_seen_, turns);
}

}  // namespace runahead::engine
