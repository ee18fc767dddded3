#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runahead::engine {

/// Tracks which sequence numbers, counted from 1, have finished, in any order: one bit for each
/// number from the oldest unfinished one on. Not thread-safe.
class FinishWindow {
 public:
  FinishWindow();

  /// The smallest number that has not finished.
  [[nodiscard]] std::uint64_t oldest() const noexcept { return oldest_; }
  [[nodiscard]] bool is_finished(std::uint64_t sequence) const noexcept;

  /// Makes room for all numbers up to `sequence`. @throws std::bad_alloc.
  void reserve(std::uint64_t sequence);
  /// The number of bits: there is room for the numbers oldest() to oldest() + capacity() - 1.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return is_finished_.size(); }

  /// The value of oldest() after finish(sequence). Same precondition as finish().
  [[nodiscard]] std::uint64_t oldest_after(std::uint64_t sequence) const noexcept;
  /// Precondition: `sequence` has not finished, and room was made for it.
  void finish(std::uint64_t sequence) noexcept;

 private:
  [[nodiscard]] std::size_t index_of(std::uint64_t sequence) const noexcept {
    return static_cast<std::size_t>(sequence & (is_finished_.size() - 1));
  }

  std::uint64_t oldest_ = 1;
  std::vector<bool> is_finished_;  ///< A ring; size: a power of two.
};

}  // namespace runahead::engine
