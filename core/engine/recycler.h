#pragma once

#include <cstddef>
#include <memory>

#include "core/engine/spin.h"

namespace runahead::engine {

/// Returns memory of one size from the threads that free it to the threads that need it.
///
/// Objects that one CPU creates and another destroys are expensive for a general allocator, and
/// their cache lines belong to the other CPU when they come back. They are therefore handed over in
/// arrays, and the cache lines of the next few are prefetched.
class Recycler {
 public:
  static constexpr std::size_t kWorthwhile = 64;  ///< Objects worth asking for.

  /// @param capacity  Most objects kept, plus as many that the taking side has already taken over.
  Recycler(std::size_t object_bytes, std::size_t capacity);

  /// Returns null if there is none. It also does so at up to kWorthwhile calls after the giving
  /// side had fewer than that: asking for each object alone would cost a transfer between CPUs
  /// every time. Calls must not overlap.
  [[nodiscard]] void* take() noexcept;
  /// The same, but always asks: null means that none is left.
  [[nodiscard]] void* take_any() noexcept {
    calls_to_skip_ = 0;
    return take();
  }

  /// @return false if it is full: the caller keeps the object. Thread-safe.
  [[nodiscard]] bool give_back(void* object) noexcept;

  /// Objects given back and not taken over. Thread-safe.
  [[nodiscard]] std::size_t spare_count() noexcept;

 private:
  static constexpr std::size_t kAhead = 4;  ///< Objects to prefetch.

  void call_for(const void* object) const noexcept;

  const std::size_t object_bytes_;
  const std::size_t capacity_;

  // The taking side.
  alignas(64) std::unique_ptr<void*[]> taken_over_;
  std::size_t taken_over_count_ = 0;
  std::size_t next_ = 0;
  std::size_t calls_to_skip_ = 0;

  alignas(64) SpinLock giving_lock_;
  std::unique_ptr<void*[]> given_back_;
  std::size_t given_back_count_ = 0;
};

}  // namespace runahead::engine
