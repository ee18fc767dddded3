#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runahead::trace {

/// Keeps the first and the last of many entries, each in half of its capacity, and counts those in
/// between. Allocates (and touches) its memory at construction, never afterwards. Not thread-safe.
template <typename Entry>
class FirstAndLast {
 public:
  /// @param room  Maximum number of entries kept, >= 2; an odd number is rounded down.
  explicit FirstAndLast(std::size_t room) : half_(room / 2), entries_(2 * half_) {}

  void push(const Entry& entry) noexcept {
    const std::uint64_t position = count_ < half_ ? count_ : half_ + (count_ - half_) % half_;
    entries_[static_cast<std::size_t>(position)] = entry;
    ++count_;
  }
  void clear() noexcept { count_ = 0; }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }  ///< Entries pushed.
  [[nodiscard]] std::uint64_t kept() const noexcept {
    return count_ < entries_.size() ? count_ : entries_.size();
  }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return count_ - kept(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return entries_.size() * sizeof(Entry);
  }

  /// Calls `visit` with each entry kept, in push order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::uint64_t i = 0; i < kept(); ++i) visit(entries_[position_of(i)]);
  }

 private:
  // The oldest entry of the ring is where the next one would go.
  [[nodiscard]] std::size_t position_of(std::uint64_t index) const noexcept {
    if (index < half_ || left_out() == 0) return static_cast<std::size_t>(index);
    return static_cast<std::size_t>(half_ + (count_ - half_ + index - half_) % half_);
  }

  std::size_t half_;
  std::vector<Entry> entries_;
  std::uint64_t count_ = 0;
};

}  // namespace runahead::trace
