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

/// A chunk of the caching heap, as a block has it.
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
  caching::Chunk* chunk_;  ///< Null once it was released: then it may be merged with others.
  const std::uintptr_t address_;
  const std::uint64_t bytes_;
  /// Keeps the addresses until the operations in flight that use them have finished.
  const std::shared_ptr<caching::SegmentMemory> segment_;
};

/// The memory of allocation `caching`: LibTorch's CUDA caching allocator (caching/caching_heap.h),
/// for blocks. What the last tensor lets go is at once free for what its stream issues next, unless
/// another stream was recorded for it: then it is pending until what that stream has issued until
/// now has finished, and a later allocation asks.
///
/// On CUDA the order of a stream makes it safe to give memory that operations in flight still use.
/// Here the next owner is ordered behind them by its predecessors, whatever streams they are on: a
/// program that forgets `record_stream` computes the right values, too.
///
/// In the ledger, allocated is what tensors have, freed in flight is what is pending, and idle is
/// the rest of what is reserved; what was freed and is not pending is no longer claimed.
/// Thread-safe.
class CachingPool {
 public:
  using Statistics = caching::CachingHeap::Statistics;

  explicit CachingPool(MemoryLedger& ledger);
  CachingPool(const CachingPool&) = delete;
  CachingPool& operator=(const CachingPool&) = delete;

  /// What take() of `bytes` would claim.
  [[nodiscard]] std::uint64_t bytes_to_commit(std::uint64_t bytes);
  /// Memory of at least `bytes` > 0, uninitialised, for the calling thread's current stream. Where
  /// none is left, waits for all that is in flight, returns what is kept, and tries once more.
  /// @throws OutOfMemoryError
  [[nodiscard]] MemoryLease take(std::uint64_t bytes, Runtime& runtime);
  /// A stream other than its own uses a block's memory. Other memory than this pool's is ignored.
  void record_stream(BlockMemory* memory, caching::StreamId stream);

  /// Keeps what is let go, by these settings, from now on.
  void start(const engine::AllocatorSettings& settings);
  /// Keeps nothing from now on. Nothing is in flight.
  void stop() noexcept;
  /// Waits for all that is in flight, and returns what no tensor has to the system.
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
  void leave(const CachedMemory& memory, const Block& user) noexcept;
  void on_events_finished(const caching::Chunk& chunk);
  /// Makes the ledger's idle bytes what is reserved and not active.
  void count_idle() noexcept;

  MemoryLedger& ledger_;
  std::mutex mutex_{};
  bool is_keeping_ = false;
  caching::HostSegments source_{};
  caching::CachingHeap heap_;
  InFlightRanges in_flight_{};
  std::unordered_map<const caching::Chunk*, PendingFree> pending_{};
  std::uint64_t idle_bytes_ = 0;  ///< As the ledger has it.
};

}  // namespace runahead::device
