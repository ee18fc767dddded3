#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/engine/ledger.h"
#include "core/engine/spin.h"

namespace runahead::device {

/// The predicted high-water mark: what memory will reach when the operations issued so far have
/// run, if they run one after the other in the order of issue.
///
/// It replays allocations and frees in that order. An operation's results are allocated when it
/// starts; memory that the front end has let go is free when the last operation that uses it has
/// finished; memory that the front end still has is never free. So the level at operation p is the
/// sum of all such changes up to p, and the mark is the highest level from the oldest operation in
/// flight on: what ran before is over. Operations that start later or never (they failed) only make
/// it an upper bound.
///
/// Kept as changes by operation, in a ring, and sums of them by kChunk operations, which are
/// renewed when the mark is asked for; in between an upper bound of the mark is kept. Pushes must
/// not overlap; otherwise thread-safe. Bounded by the operations in flight.
class HighWaterMark {
 public:
  HighWaterMark();

  /// See engine::Ledger::reserve. @throws std::bad_alloc
  std::uint64_t reserve(std::uint64_t sequence, std::uint64_t oldest);

  /// Operation `sequence` allocates `bytes` when it starts. Precondition: room was made for it.
  void push(std::uint64_t sequence, std::uint64_t bytes) noexcept;
  /// `bytes` are allocated now, before everything in flight.
  void add_now(std::uint64_t bytes, std::uint64_t oldest) noexcept;
  /// `bytes` are free when operation `last_use` has finished; 0, or any number that was not pushed:
  /// now.
  void release(std::uint64_t bytes, std::uint64_t last_use) noexcept;

  /// The mark, in bytes.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t oldest) const noexcept;
  /// Whether the mark stays within `limit_bytes` with `claim`: of an operation more, or added now.
  /// Mostly without looking at the changes.
  [[nodiscard]] bool is_within(std::uint64_t limit_bytes, const engine::Claim& claim,
                               std::uint64_t oldest) const noexcept;
  /// The level after the last operation: what the front end has, all else being free by then.
  [[nodiscard]] std::uint64_t end_bytes() const noexcept;
  /// The highest the mark has been since reset_peak().
  [[nodiscard]] std::uint64_t peak_bytes() const noexcept;
  void reset_peak() noexcept;

  /// Whether the peak is wanted, which costs a look at the changes at times. True at first.
  void set_keeping_peak(bool is_keeping) noexcept;
  /// All operations have finished, and numbers begin again with 1.
  void restart() noexcept;

  /// What this takes itself.
  [[nodiscard]] std::uint64_t bookkeeping_bytes() const noexcept;

 private:
  static constexpr std::size_t kChunk = 64;
  static constexpr std::size_t kLeastCapacity = 16 * kChunk;

  struct Chunk {
    std::int64_t sum = 0;
    std::int64_t highest = 0;  ///< The highest sum of its first changes, at least one.
    bool is_current = false;
  };

  [[nodiscard]] std::size_t slot_of(std::uint64_t sequence) const noexcept {
    return static_cast<std::size_t>(sequence & (changes_.size() - 1));
  }
  void change(std::uint64_t sequence, std::int64_t bytes) noexcept;
  void settle(std::uint64_t oldest) const noexcept;
  void find_mark(std::uint64_t oldest) const noexcept;
  void renew(std::size_t chunk) const noexcept;
  void grow();

  mutable engine::SpinLock lock_{};
  mutable std::vector<std::int64_t> changes_;  ///< A ring; size: a power of two.
  mutable std::vector<Chunk> chunks_;
  mutable std::uint64_t first_ = 1;  ///< Changes of operations before are in settled_.
  /// Of the next push; its changes are frees so far. Without the lock: who releases what an
  /// operation uses has seen its push.
  std::atomic<std::uint64_t> next_{1};
  mutable std::int64_t settled_ = 0;  ///< Sum of the changes before first_.
  std::int64_t end_ = 0;              ///< Sum of all changes.
  mutable std::int64_t mark_ = 0;     ///< At least the mark.
  std::int64_t peak_ = 0;
  bool is_keeping_peak_ = true;
};

}  // namespace runahead::device
