#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/device/caching/allocation_rules.h"
#include "core/device/caching/segment_memory.h"

namespace runahead::device::caching {

using StreamId = std::int64_t;

struct Segment;

/// A piece of a segment: allocated, waiting for its events, free, or without memory.
struct Chunk {
  std::list<Chunk>::iterator place{};  ///< In its segment, by address.
  Segment* segment = nullptr;
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requested_bytes = 0;
  bool is_allocated = false;
  bool is_mapped = true;                  ///< Whether it has memory.
  std::set<StreamId> recorded_streams{};  ///< Other streams that use it.
  std::size_t pending_events = 0;
  std::uint64_t searches_when_freed = 0;  ///< Its age, for garbage collection.

  [[nodiscard]] bool is_free() const noexcept { return !is_allocated && pending_events == 0; }
  /// The neighbour in its segment; null at the segment's ends.
  [[nodiscard]] Chunk* previous() const noexcept;
  [[nodiscard]] Chunk* next() const noexcept;
  /// Whether it spans all of its segment.
  [[nodiscard]] bool is_whole() const noexcept;
};

/// The order in which free chunks are searched: within one stream the smallest that is large
/// enough, the lowest address among equal ones.
struct BySize {
  bool operator()(const Chunk* a, const Chunk* b) const noexcept;
};
struct ByAddress {
  bool operator()(const Chunk* a, const Chunk* b) const noexcept;
};

struct Pool {
  bool is_small = false;
  std::set<Chunk*, BySize> free{};
  std::set<Chunk*, ByAddress> unmapped{};
  std::uint64_t searches = 0;
};

struct Segment {
  std::list<Segment>::iterator place{};
  std::shared_ptr<SegmentMemory> memory{};
  Pool* pool = nullptr;
  StreamId stream = 0;
  bool is_expandable = false;
  std::list<Chunk> chunks{};
};

/// The heap's queries and reports to its owner.
struct HeapHooks {
  /// The events of a chunk that was freed earlier have finished. May be null.
  std::function<void(const Chunk&)> on_events_finished{};
  /// Whether operations in flight use any of the range, so that its memory must stay. May be
  /// null.
  std::function<bool(std::uintptr_t address, std::uint64_t bytes)> is_in_flight{};
};

/// The rules of LibTorch's CUDA caching allocator for one device: which chunk serves a request,
/// what is split and merged, what is kept, and when a free that other streams defer takes effect.
/// It counts under LibTorch's own names. It knows nothing of tensors, operations or waits.
///
/// Not thread-safe. Chunks that it returns are valid until they are freed.
class CachingHeap {
 public:
  using Statistics = c10::CachingDeviceAllocator::DeviceStats;
  /// A use of a chunk by another stream; true once it has finished.
  using HasFinished = std::function<bool()>;

  explicit CachingHeap(SegmentSource& source, HeapHooks hooks = {});

  /// Applies to requests from now on.
  void set_settings(const AllocatorSettings& settings);
  [[nodiscard]] const AllocatorSettings& settings() const noexcept { return settings_; }

  /// A chunk of at least `bytes` > 0 for use on `stream`; null if there is no memory as long as
  /// frees are pending and kept memory stays.
  [[nodiscard]] Chunk* allocate(std::uint64_t bytes, StreamId stream);
  /// The same after allocate() returned null and the caller has waited for the device: first
  /// returns kept memory to the system. Null: out of memory.
  [[nodiscard]] Chunk* allocate_at_last(std::uint64_t bytes, StreamId stream);
  /// Records that `stream` uses the chunk, too: once freed, the chunk is not reused before
  /// everything issued on `stream` by then has finished.
  static void record_stream(Chunk& chunk, StreamId stream);
  /// `uses` are the events that defer the free, one for each recorded stream.
  void free(Chunk& chunk, std::vector<std::pair<StreamId, HasFinished>> uses);
  /// Frees the chunks that no event defers any more.
  void process_events();
  /// Returns free whole segments and pages to the system. Precondition: the caller has waited for
  /// the device.
  void release_cached();

  [[nodiscard]] std::uint64_t reserved_bytes() const noexcept { return reserved_bytes_; }
  [[nodiscard]] std::uint64_t active_bytes() const noexcept;
  [[nodiscard]] const Statistics& statistics() const noexcept { return statistics_; }
  void reset_accumulated_statistics() noexcept;
  void reset_peak_statistics() noexcept;
  /// In the order of creation.
  [[nodiscard]] const std::list<Segment>& segments() const noexcept { return segments_; }

 private:
  struct Request {
    std::uint64_t requested_bytes = 0;
    std::uint64_t bytes = 0;
    StreamId stream = 0;
    Pool* pool = nullptr;
  };
  struct PendingUse {
    HasFinished has_finished{};
    Chunk* chunk = nullptr;
  };
  using StatisticOf = c10::CachingAllocator::StatArray Statistics::*;

  [[nodiscard]] Request request_of(std::uint64_t bytes, StreamId stream);
  [[nodiscard]] Chunk* take_free(const Request& request);
  [[nodiscard]] Chunk* make(const Request& request);
  [[nodiscard]] Chunk* make_segment(const Request& request);
  Chunk& add_segment(const Request& request, std::shared_ptr<SegmentMemory> memory,
                     bool is_expandable);
  [[nodiscard]] Chunk* expand(const Request& request);
  [[nodiscard]] Chunk* find_expandable(const Request& request);
  [[nodiscard]] Chunk* reserve_segment(const Request& request);
  [[nodiscard]] bool map(Chunk& chunk, std::uint64_t bytes);
  Chunk* use(Chunk& chunk, const Request& request);
  void split(Chunk& chunk, std::uint64_t bytes);
  void make_free(Chunk& chunk);
  /// What a merge absorbed.
  struct Merged {
    std::uint64_t chunks = 0;
    std::uint64_t bytes = 0;
  };
  Merged merge_neighbours(Chunk& chunk);
  void insert_free(Chunk& chunk);
  [[nodiscard]] bool release_oversized(const Request& request);
  void collect_garbage();
  void release_cached(Pool& pool);
  void release(Chunk& chunk);
  void unmap(Chunk& chunk);

  void increase(StatisticOf statistic, const Pool& pool, std::uint64_t amount);
  void decrease(StatisticOf statistic, const Pool& pool, std::uint64_t amount);
  /// Counts only the difference, as LibTorch does, so that totals since the start match LibTorch's.
  void change(StatisticOf statistic, const Pool& pool, std::uint64_t gained, std::uint64_t lost);
  [[nodiscard]] bool collects_garbage() const noexcept;

  SegmentSource& source_;
  HeapHooks hooks_;
  AllocatorSettings settings_{};
  Pool small_{.is_small = true};
  Pool large_{};
  std::list<Segment> segments_{};
  std::map<StreamId, std::deque<PendingUse>> pending_{};
  std::uint64_t reserved_bytes_ = 0;
  Statistics statistics_{};
};

}  // namespace runahead::device::caching
