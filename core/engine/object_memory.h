#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "core/engine/slab.h"
#include "core/engine/spin.h"

namespace runahead::engine {

/// Memory for objects of one size, which some threads create and mostly others destroy.
///
/// Such objects are expensive for a general allocator, and their cache lines belong to the other
/// CPU when they come back. They are therefore handed over in arrays, and the cache lines of the
/// next few are prefetched. What a growing backlog needs in addition comes from slabs of huge
/// pages: page faults would otherwise take a sixth of the time of a push.
///
/// It keeps what the most objects in use at once have needed, until shrink().
class ObjectMemory {
 public:
  static constexpr std::size_t kWorthwhile = 64;   ///< Spare objects worth asking for.
  static constexpr std::size_t kKeptSpare = 4096;  ///< Spare objects that shrink() keeps.

  explicit ObjectMemory(std::size_t object_bytes);

  /// Memory for one object, aligned to a cache line. New memory, if the giving side has fewer than
  /// kWorthwhile objects: asking for each alone would cost a transfer between CPUs every time.
  /// Calls of this, is_oversized() and shrink() must not overlap. @throws std::bad_alloc
  [[nodiscard]] void* take();

  /// Takes back the memory of a destroyed object. Thread-safe.
  void give_back(void* object) noexcept;

  /// Whether there are so many spare objects that shrink() is worth its time.
  [[nodiscard]] bool is_oversized() noexcept;
  /// Returns slabs that contain only spare objects to the system, as long as kKeptSpare objects
  /// remain spare. They stay if memory runs out meanwhile.
  void shrink() noexcept;

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
  [[nodiscard]] std::vector<Slab> take_spare_slabs();
  void call_for(const void* object) const noexcept;

  const std::size_t object_bytes_;
  std::atomic<std::size_t> object_count_{0};

  // The taking side.
  alignas(64) std::vector<void*> taken_over_{};  ///< From next_ on: spare.
  std::size_t next_ = 0;
  std::size_t room_ = 0;  ///< Objects that both vectors have room for.
  std::size_t calls_to_skip_ = 0;
  std::size_t most_spare_ = 2 * kKeptSpare;  ///< Above it, the next shrink() may succeed.
  std::vector<Slab> slabs_{};                ///< New objects are carved from the last.

  alignas(64) SpinLock giving_lock_{};
  std::vector<void*> given_back_{};
};

}  // namespace runahead::engine
