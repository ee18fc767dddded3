#pragma once

#include <cstddef>
#include <memory>

#include "core/engine/spin.h"

namespace runahead::engine {

/// Carries memory of one size from the threads that finish with it back to those that need it.
///
/// Objects that one CPU makes and another destroys are dear for a general allocator, and their
/// cache lines belong to the other CPU when they come back. So they are handed over by the array,
/// not one by one, and the lines of the next few are called for ahead of their use.
class Recycler {
 public:
  /// @param capacity kept at most, beside as many that the taking side has taken over already
  Recycler(std::size_t object_bytes, std::size_t capacity);

  /// Null if there is none. Calls must not overlap.
  [[nodiscard]] void* take() noexcept;

  /// @return false if as many as may be are kept already: the caller keeps it. Thread-safe.
  [[nodiscard]] bool give_back(void* object) noexcept;

  /// Objects given back and not taken over. Thread-safe.
  [[nodiscard]] std::size_t spare_count() noexcept;

 private:
  static constexpr std::size_t kAhead = 4;  ///< Objects whose lines are called for.

  void call_for(const void* object) const noexcept;

  const std::size_t object_bytes_;
  const std::size_t capacity_;

  // The taking side.
  alignas(64) std::unique_ptr<void*[]> taken_over_;
  std::size_t taken_over_count_ = 0;
  std::size_t next_ = 0;

  alignas(64) SpinLock giving_lock_;
  std::unique_ptr<void*[]> given_back_;
  std::size_t given_back_count_ = 0;
};

}  // namespace runahead::engine
