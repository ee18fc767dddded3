#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <mutex>
#include <vector>

#include "core/base/clock.h"
#include "core/engine/slab.h"
#include "core/engine/spin.h"

namespace runahead::engine {

/// Memory for objects of one size, which some threads create and mostly others destroy.
///
/// Such objects are expensive for a general allocator, and their cache lines belong to the other
/// CPU when their memory comes back. It is therefore handed over in arrays, the last given back
/// first, and the cache lines of the next few objects are prefetched. A growing backlog takes more
/// from slabs of huge pages: page faults would otherwise take a sixth of the time of a push.
///
/// The taking side is one thread at a time: its calls must not overlap. Every object must be given
/// back before the destruction.
class ObjectMemory {
 public:
  static constexpr std::size_t kWorthwhile = 64;   ///< Spare objects worth asking for.
  static constexpr std::size_t kKeptSpare = 4096;  ///< Spare objects that are always kept.
  static constexpr std::chrono::seconds kKeepTime{1};

  /// @throws UsageError if an object is larger than a slab.
  explicit ObjectMemory(std::size_t object_bytes);

  /// Memory for one object, aligned to a cache line. If the giving side had fewer than kWorthwhile
  /// objects, it is not asked again for a while, because that costs a transfer between CPUs: new
  /// memory is used meanwhile. For the taking side. @throws std::bad_alloc
  [[nodiscard]] void* take();

  /// Takes back the memory of a destroyed object. Thread-safe.
  void give_back(void* object) noexcept;

  /// Removes slabs without an object in use that were not needed for kKeepTime; they return their
  /// memory when they are destroyed. Enough objects remain for the most that were in use at once
  /// during that time, and kKeptSpare more. For the taking side; destroy the slabs outside its
  /// lock. @return none if memory runs out meanwhile.
  [[nodiscard]] std::vector<Slab> take_spare_slabs(TimePoint now) noexcept;
  /// Takes them under `taking_lock`, which orders the calls of the taking side, and destroys them
  /// outside it. If there cannot be any, it returns without taking the lock.
  template <typename Mutex>
  void return_spare_slabs(Mutex& taking_lock) noexcept {
    if (object_count_.load(std::memory_order_relaxed) <= 2 * kKeptSpare) return;
    std::vector<Slab> spare;  // Returned after the lock.
    const std::lock_guard lock(taking_lock);
    spare = take_spare_slabs(Clock::now());
  }

  /// Memory of the objects in use and the spare ones, in bytes. Thread-safe.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return object_count_.load(std::memory_order_relaxed) * object_bytes_;
  }

 private:
  static constexpr std::size_t kAhead = 4;            ///< Objects to prefetch.
  static constexpr std::size_t kMostTakenOver = 256;  ///< The last given back: still in caches.

  void take_over() noexcept;
  [[nodiscard]] void* carve();
  void make_room_for_one_more();
  void add_slab();
  void call_for(const void* object) const noexcept;
  [[nodiscard]] std::size_t spare_count() noexcept;
  void take_over_all() noexcept;
  [[nodiscard]] std::vector<Slab> remove_spare_slabs(std::size_t most_objects);

  const std::size_t object_bytes_;
  std::atomic<std::size_t> object_count_{0};

  // The taking side.
  alignas(64) std::vector<void*> taken_over_{};  ///< From next_ on: spare.
  std::size_t next_ = 0;
  std::size_t room_ = 0;  ///< Objects that both vectors have room for.
  std::size_t calls_to_skip_ = 0;
  TimePoint needed_at_{};        ///< When all objects were needed, or spare ones removed.
  std::size_t most_in_use_ = 0;  ///< Since then.
  // Slabs with objects in use may leave too many spare ones. Searching is worth its time again when
  // there are far fewer objects in use, or far more spare ones.
  std::size_t search_below_in_use_ = std::numeric_limits<std::size_t>::max();
  std::size_t search_above_spare_ = 0;
  std::vector<Slab> slabs_{};  ///< New objects are carved from the last.

  alignas(64) SpinLock giving_lock_{};
  std::vector<void*> given_back_{};
};

}  // namespace runahead::engine
