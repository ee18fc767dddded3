#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runahead::engine {

/// Which of a row of sequence numbers, counted from 1, have finished, in whatever order they do:
/// one bit for each from the oldest unfinished on. Not thread-safe.
class FinishWindow {
 public:
  FinishWindow();

  /// The smallest number that has not finished.
  [[nodiscard]] std::uint64_t oldest() const noexcept { return oldest_; }
  [[nodiscard]] bool is_finished(std::uint64_t sequence) const noexcept;

  /// Makes room for all numbers up to `sequence`. @throws std::bad_alloc.
  void reserve(std::uint64_t sequence);
  /// How many numbers from oldest() on there is room for.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return is_finished_.size(); }

  /// What oldest() will be once `sequence` has finished too. Same precondition as finish().
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
