#pragma once

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "core/device/storage/block_memory.h"
#include "core/device/storage/memory_ledger.h"

namespace runahead::device {

class Block;
class SegmentPool;

/// Memory that blocks use one after the other, under allocation `in_stream_order`.
class Segment final : public BlockMemory, public std::enable_shared_from_this<Segment> {
 public:
  /// Counts as untouched, of the class of what is allocated now, until touch(), or its end.
  Segment(SegmentPool& pool, c10::DataPtr memory, std::uint64_t bytes);
  ~Segment() override;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  [[nodiscard]] void* address() const noexcept override { return memory_.get(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept override { return bytes_; }
  void touch() noexcept override;
  void release(Block& user) noexcept override;
  void leave(Block& user) noexcept override;

 private:
  friend class SegmentPool;

  /// What it is allocated for now.
  void set_class(TensorClass tensor_class) noexcept;

  SegmentPool& pool_;
  const c10::DataPtr memory_;
  const std::uint64_t bytes_;
  /// Of a segment that was not touched; nullopt: it was.
  std::atomic<std::optional<TensorClass>> untouched_class_;
  // Guarded by the pool.
  bool is_kept_ = false;        ///< Whether the pool has it to give.
  Block* last_user_ = nullptr;  ///< The block, without a tensor, whose operations still use it.
};

/// The memory of allocation `in_stream_order`, kept and given as the CUDA caching allocator does:
/// what the last tensor on it lets go is at once free for the next allocation, although operations
/// in flight still use it. The order of the queue makes that safe: who takes such memory also gets
/// its *predecessor*, the block before, behind whose operations its own must be ordered.
///
/// Sizes are rounded up to kRounding, as CUDA's blocks are. A request is served by the smallest
/// kept segment that is large enough and at most an eighth larger than the request; segments are
/// never split. Among equal ones the one let go first is taken: its operations are the likeliest to
/// be done.
///
/// Bounded: before a segment is made, idle ones (those that no operation uses either) are returned,
/// largest first, as far as all together would exceed twice the most that tensors had at once.
/// Thread-safe.
class SegmentPool {
 public:
  static constexpr std::uint64_t kRounding = 512;

  explicit SegmentPool(MemoryLedger& ledger) : ledger_(ledger) {}
  SegmentPool(const SegmentPool&) = delete;
  SegmentPool& operator=(const SegmentPool&) = delete;

  /// A segment of at least `bytes` > 0, uninitialised. When memory runs out, idle segments are
  /// returned and it tries once more. @throws OutOfMemoryError
  [[nodiscard]] MemoryLease take(std::uint64_t bytes);
  /// What a take() of `bytes` would newly commit now: 0 if it would get a segment that operations
  /// in flight still use.
  [[nodiscard]] std::uint64_t bytes_to_commit(std::uint64_t bytes);

  /// Whether to keep what is let go, from now on. Not to returns what is kept.
  void set_keeping(bool is_keeping) noexcept;
  /// Returns the idle segments to the C library.
  void empty() noexcept;

 private:
  friend class Segment;
  using Segments =
      std::multimap<std::uint64_t, std::shared_ptr<Segment>>;  // By size, oldest first.

  [[nodiscard]] Segments::iterator find_kept(std::uint64_t rounded_bytes);
  [[nodiscard]] MemoryLease reuse(Segments::iterator kept);
  [[nodiscard]] Segments take_idle(std::uint64_t most_bytes) noexcept;
  [[nodiscard]] Segments take_beyond_bound(std::uint64_t new_bytes) noexcept;
  [[nodiscard]] c10::DataPtr allocate(std::uint64_t bytes);
  void keep(const std::shared_ptr<Segment>& segment) noexcept;
  void release(const std::shared_ptr<Segment>& segment, Block& user) noexcept;
  void leave(Segment& segment, Block& user) noexcept;

  MemoryLedger& ledger_;
  std::mutex mutex_{};
  bool is_keeping_ = false;
  Segments kept_{};
  std::uint64_t total_bytes_ = 0;   ///< Of segments that tensors have or that are kept.
  std::uint64_t in_use_bytes_ = 0;  ///< Of segments that tensors have.
  std::uint64_t most_in_use_bytes_ = 0;
};

}  // namespace runahead::device
