#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/device/caching/caching_heap.h"
#include "core/device/storage/block_memory.h"
#include "core/device/storage/in_flight_ranges.h"
#include "core/device/storage/memory_ledger.h"

namespace runahead::device {

class CachingPool;
class Runtime;

/// A chunk of the caching heap, as the memory of a block.
class CachedMemory final : public BlockMemory {
 public:
  CachedMemory(CachingPool& pool, caching::Chunk& chunk);

  [[nodiscard]] void* address() const noexcept override;
  [[nodiscard]] std::uint64_t bytes() const noexcept override { return bytes_; }
  void touch() noexcept override {}
  void release(Block& user) noexcept override;
  void leave(Block& user) noexcept override;

 private:
  friend class CachingPool;

  CachingPool& pool_;
  caching::Chunk* chunk_;  ///< Null once released: it may then be merged with others.
  const std::uintptr_t address_;
  const std::uint64_t bytes_;
  /// Keeps the addresses valid until the operations in flight that use them have finished.
  const std::shared_ptr<caching::SegmentMemory> segment_;
};

/// The memory of allocation `caching`: LibTorch's CUDA caching allocator (caching/caching_heap.h),
/// for blocks. Memory whose last tensor is gone is immediately free for what its stream issues
/// next, unless another stream was recorded for it: then it is pending until everything issued on
/// that stream so far has finished and a later allocation checks for that.
///
/// On CUDA, stream order makes it safe to reuse memory that operations in flight still use. Here
/// the next owner's predecessors order it behind them, whatever streams they are on: even a program
/// that forgets `record_stream` computes the right values.
///
/// In the ledger, allocated is the memory of tensors, freed in flight is pending memory, and idle
/// is the rest of reserved memory; memory that was freed and is not pending is no longer claimed.
/// Thread-safe.
class CachingPool {
 public:
  using Statistics = caching::CachingHeap::Statistics;

  explicit CachingPool(MemoryLedger& ledger);
  CachingPool(const CachingPool&) = delete;
  CachingPool& operator=(const CachingPool&) = delete;

  /// The bytes that a take() of `bytes` would claim.
  [[nodiscard]] std::uint64_t bytes_to_commit(std::uint64_t bytes);
  /// Uninitialised memory of at least `bytes` > 0 for the calling thread's current stream. If none
  /// is left, waits for everything in flight (if the settings say so), returns kept memory to the
  /// system, and tries once more.
  /// @throws OutOfMemoryError
  [[nodiscard]] MemoryLease take(std::uint64_t bytes, Runtime& runtime);
  /// Frees memory that take() returned and that no block has used.
  void give_back(const MemoryLease& lease);
  /// Records that a stream other than the block's own uses its memory. Ignores memory that is not
  /// from this pool.
  void record_stream(BlockMemory* memory, caching::StreamId stream);

  /// From now on keeps released memory, according to these settings.
  void start(const engine::AllocatorSettings& settings);
  /// From now on keeps nothing. Precondition: nothing is in flight.
  void stop() noexcept;
  /// Waits for everything in flight, and returns memory that no tensor owns to the system.
  void empty(Runtime& runtime);

  [[nodiscard]] Statistics statistics();
  void reset_accumulated_statistics();
  void reset_peak_statistics();

 private:
  friend class CachedMemory;
  using Uses = std::vector<std::pair<caching::StreamId, caching::CachingHeap::HasFinished>>;
  struct PendingFree {
    MemoryPiece piece{};
    bool is_committed = false;
  };

  [[nodiscard]] MemoryLease lease(caching::Chunk& chunk);
  [[noreturn]] void throw_out_of_memory(std::uint64_t bytes);
  [[nodiscard]] Uses uses_of(CachedMemory& memory);
  void release(CachedMemory& memory, Block& user) noexcept;
  void free(CachedMemory& memory, Block& user, Uses uses, bool is_written);
  void free_chunk(CachedMemory& memory, Uses uses);
  void leave(const CachedMemory& memory, const Block& user) noexcept;
  void on_events_finished(const caching::Chunk& chunk);
  /// Frees the pending memory whose events have finished.
  void collect_free() noexcept;
  /// Sets the ledger's idle bytes to the reserved bytes that are not active.
  void count_idle() noexcept;

  MemoryLedger& ledger_;
  std::mutex mutex_{};
  bool is_keeping_ = false;
  caching::HostSegments source_{};
  caching::CachingHeap heap_;
  InFlightRanges in_flight_{};
  std::unordered_map<const caching::Chunk*, PendingFree> pending_{};
  std::uint64_t idle_bytes_ = 0;  ///< As counted in the ledger.
};

}  // namespace runahead::device
