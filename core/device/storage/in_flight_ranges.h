#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace runahead::device {

class Block;

/// Tracks which blocks without a tensor have operations in flight on which addresses. Memory that
/// is split, merged and given to blocks of other sizes keeps its users here, so that the next block
/// on it is ordered behind all of them. Bounded by the number of existing blocks. Not thread-safe.
class InFlightRanges {
 public:
  /// `user` uses the range from now on. @param replaces  Whether its operations are ordered behind
  /// those of all earlier users of the range, so that waiting for it suffices.
  void add(std::uintptr_t address, std::uint64_t bytes, Block& user, bool replaces);
  /// `user` no longer uses the range.
  void remove(std::uintptr_t address, std::uint64_t bytes, const Block& user) noexcept;
  /// Nothing uses the range any more.
  void clear(std::uintptr_t address, std::uint64_t bytes);

  /// The blocks that use any part of the range, each once.
  [[nodiscard]] std::vector<Block*> users(std::uintptr_t address, std::uint64_t bytes) const;
  [[nodiscard]] bool is_used(std::uintptr_t address, std::uint64_t bytes) const noexcept;

 private:
  struct Range {
    std::uintptr_t end = 0;
    std::vector<Block*> users{};  ///< At least one.
  };
  using Ranges = std::map<std::uintptr_t, Range>;  // By start address; they do not overlap.

  void cut_at(std::uintptr_t address);
  [[nodiscard]] Ranges::const_iterator first_overlapping(std::uintptr_t address) const noexcept;

  Ranges ranges_{};
};

}  // namespace runahead::device
