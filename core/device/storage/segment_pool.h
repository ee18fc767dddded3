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

/// Memory that blocks use one after another, under allocation `in_stream_order`.
class Segment final : public BlockMemory, public std::enable_shared_from_this<Segment> {
 public:
  /// Counts as untouched, in the class of memory allocated now, until touch() or destruction.
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

  /// Sets the class that it is allocated for now.
  void set_class(TensorClass tensor_class) noexcept;

  SegmentPool& pool_;
  const c10::DataPtr memory_;
  const std::uint64_t bytes_;
  /// The class of an untouched segment; nullopt once touched.
  std::atomic<std::optional<TensorClass>> untouched_class_;
  // Guarded by the pool.
  bool is_kept_ = false;        ///< Whether the pool keeps it for reuse.
  Block* last_user_ = nullptr;  ///< The block, without a tensor, whose operations still use it.
};

/// The memory of allocation `in_stream_order`, kept and reused as by the CUDA caching allocator:
/// once its last tensor is gone it is free for the next allocation, even if operations in flight
/// still use it. The order of the queue makes that safe: a block that takes such memory also gets
/// its *predecessor*, the previous block, and must order its operations behind that block's.
///
/// Sizes are rounded up to kRounding, as CUDA's blocks are. A request is served by the smallest
/// kept segment that is large enough and at most an eighth larger than the request; segments are
/// never split. Among equal ones the first released is taken: its operations are the likeliest to
/// have finished.
///
/// Bounded: before a segment is allocated, idle ones (those that no operation uses either) are
/// returned, largest first, while the total would exceed twice the most that tensors used at once.
/// Thread-safe.
class SegmentPool {
 public:
  static constexpr std::uint64_t kRounding = 512;

  explicit SegmentPool(MemoryLedger& ledger) : ledger_(ledger) {}
  SegmentPool(const SegmentPool&) = delete;
  SegmentPool& operator=(const SegmentPool&) = delete;

  /// An uninitialised segment of at least `bytes` > 0. When memory runs out, returns idle segments
  /// and tries once more. @throws OutOfMemoryError
  [[nodiscard]] MemoryLease take(std::uint64_t bytes);
  /// The bytes that a take() of `bytes` would newly commit now: 0 if it would get a segment that
  /// operations in flight still use.
  [[nodiscard]] std::uint64_t bytes_to_commit(std::uint64_t bytes);

  /// Sets whether to keep released segments from now on; false also returns those kept.
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
  std::uint64_t total_bytes_ = 0;   ///< Of segments that are in use by tensors or kept.
  std::uint64_t in_use_bytes_ = 0;  ///< Of segments that are in use by tensors.
  std::uint64_t most_in_use_bytes_ = 0;
};

}  // namespace runahead::device
