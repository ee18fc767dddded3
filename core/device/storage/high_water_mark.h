#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/engine/ledger.h"
#include "core/engine/spin.h"

namespace runahead::device {

/// The predicted high-water mark: what memory will reach if the operations issued so far run one
/// after another in the order of issue.
///
/// It replays allocations and frees in that order. An operation's results are allocated when it
/// starts; memory that the front end has released is freed when the last operation that uses it has
/// finished; memory that the front end still owns is never freed. So the level at operation p is
/// the sum of all such changes up to p, and the mark is the highest level from the oldest operation
/// in flight on: earlier levels are past. If operations start later or never (because they failed),
/// it is only an upper bound.
///
/// Stored as a ring of changes, one per operation, and their sums over kChunk operations, which are
/// recomputed when the mark is requested; in between an upper bound of the mark is kept. Pushes
/// must not overlap; otherwise thread-safe. Size bounded by the operations in flight.
class HighWaterMark {
 public:
  HighWaterMark();

  /// See engine::Ledger::reserve. @throws std::bad_alloc
  std::uint64_t reserve(std::uint64_t sequence, std::uint64_t oldest);

  /// Operation `sequence` allocates `bytes` when it starts. Precondition: room was reserved for it.
  void push(std::uint64_t sequence, std::uint64_t bytes) noexcept;
  /// `bytes` are allocated now, before everything in flight.
  void add_now(std::uint64_t bytes, std::uint64_t oldest) noexcept;
  /// Frees `bytes` once operation `last_use` has finished, or immediately if `last_use` is 0 or was
  /// never pushed.
  void release(std::uint64_t bytes, std::uint64_t last_use) noexcept;

  /// The mark, in bytes.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t oldest) const noexcept;
  /// Whether the mark stays within `limit_bytes` with `claim`, which is one more operation's or
  /// added now. Mostly answered without scanning the changes.
  [[nodiscard]] bool is_within(std::uint64_t limit_bytes, const engine::Claim& claim,
                               std::uint64_t oldest) const noexcept;
  /// The level after the last operation: what the front end owns, all else being free by then.
  [[nodiscard]] std::uint64_t end_bytes() const noexcept;
  /// The highest the mark has been since reset_peak().
  [[nodiscard]] std::uint64_t peak_bytes() const noexcept;
  void reset_peak() noexcept;

  /// Whether to track the peak, which sometimes costs a scan of the changes. Initially true.
  void set_keeping_peak(bool is_keeping) noexcept;
  /// To be called when all operations have finished; sequence numbers restart at 1.
  void restart() noexcept;

  /// Memory used by this object itself, in bytes.
  [[nodiscard]] std::uint64_t bookkeeping_bytes() const noexcept;

 private:
  static constexpr std::size_t kChunk = 64;
  static constexpr std::size_t kLeastCapacity = 16 * kChunk;

  struct Chunk {
    std::int64_t sum = 0;
    std::int64_t highest = 0;  ///< The highest sum of its first n changes, n >= 1.
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
  mutable std::vector<std::int64_t> changes_;  ///< A ring; its size is a power of two.
  mutable std::vector<Chunk> chunks_;
  mutable std::uint64_t first_ = 1;  ///< Changes of earlier operations are in settled_.
  /// Sequence number of the next push; its changes so far are all frees. Read without the lock: a
  /// thread that releases memory used by an operation has already seen its push.
  std::atomic<std::uint64_t> next_{1};
  mutable std::int64_t settled_ = 0;  ///< Sum of the changes before first_.
  std::int64_t end_ = 0;              ///< Sum of all changes.
  mutable std::int64_t mark_ = 0;     ///< An upper bound of the mark.
  std::int64_t peak_ = 0;
  bool is_keeping_peak_ = true;
};

}  // namespace runahead::device
