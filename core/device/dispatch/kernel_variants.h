#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace runahead::device {

/// A set of hashes that never forgets and never grows. It may hold one that was never added, the
/// more often the fuller it is. Thread-safe, without locks.
class KernelVariants {
 public:
  [[nodiscard]] bool may_contain(std::size_t hash) const noexcept {
    return (word(hash).load(std::memory_order_relaxed) & bit(hash)) != 0;
  }
  void add(std::size_t hash) noexcept { word(hash).fetch_or(bit(hash), std::memory_order_relaxed); }

 private:
  using Word = std::atomic<std::uint64_t>;
  static constexpr std::size_t kWords = 16;

  [[nodiscard]] static std::uint64_t bit(std::size_t hash) noexcept {
    return std::uint64_t{1} << (hash / kWords % 64);
  }
  [[nodiscard]] const Word& word(std::size_t hash) const noexcept { return words_[hash % kWords]; }
  [[nodiscard]] Word& word(std::size_t hash) noexcept { return words_[hash % kWords]; }

  std::array<Word, kWords> words_{};
};

}  // namespace runahead::device
