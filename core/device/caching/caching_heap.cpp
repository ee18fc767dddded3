#include "core/device/caching/caching_heap.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace runahead::device::caching {
namespace {

using c10::CachingAllocator::StatType;

auto size_key(const Chunk& chunk) {
  return std::tuple(chunk.segment->stream, chunk.bytes, chunk.address);
}

std::size_t place_of(const Pool& pool) {
  return static_cast<std::size_t>(pool.is_small ? StatType::SMALL_POOL : StatType::LARGE_POOL);
}

constexpr auto kAll = static_cast<std::size_t>(StatType::AGGREGATE);

}  // namespace

Chunk* Chunk::previous() const noexcept {
  return place == segment->chunks.begin() ? nullptr : &*std::prev(place);
}

Chunk* Chunk::next() const noexcept {
  const auto after = std::next(place);
  return after == segment->chunks.end() ? nullptr : &*after;
}

bool Chunk::is_whole() const noexcept { return segment->chunks.size() == 1; }

bool BySize::operator()(const Chunk* a, const Chunk* b) const noexcept {
  return size_key(*a) < size_key(*b);
}

bool ByAddress::operator()(const Chunk* a, const Chunk* b) const noexcept {
  return std::tuple(a->segment->stream, a->address) < std::tuple(b->segment->stream, b->address);
}

CachingHeap::CachingHeap(SegmentSource& source, HeapHooks hooks)
    : source_(source), hooks_(std::move(hooks)) {
  set_settings({});
}

void CachingHeap::set_settings(const AllocatorSettings& settings) {
  settings_ = settings;
  statistics_.max_split_size = static_cast<std::int64_t>(settings.max_split_bytes);
}

Chunk* CachingHeap::allocate(std::uint64_t bytes, StreamId stream) {
  process_events();
  const Request request = request_of(bytes, stream);
  Chunk* chunk = take_free(request);
  if (chunk == nullptr) {
    collect_garbage();
    chunk = make(request);
    if (chunk == nullptr && release_oversized(request)) chunk = make(request);
  }
  return chunk == nullptr ? nullptr : use(*chunk, request);
}

Chunk* CachingHeap::allocate_at_last(std::uint64_t bytes, StreamId stream) {
  release_cached();
  ++statistics_.num_alloc_retries;
  const Request request = request_of(bytes, stream);
  Chunk* const chunk = make(request);
  if (chunk == nullptr) ++statistics_.num_ooms;
  return chunk == nullptr ? nullptr : use(*chunk, request);
}

CachingHeap::Request CachingHeap::request_of(std::uint64_t bytes, StreamId stream) {
  const std::uint64_t rounded = rounded_bytes(bytes, settings_);
  return {.requested_bytes = bytes,
          .bytes = rounded,
          .stream = stream,
          .pool = is_small(rounded) ? &small_ : &large_};
}

Chunk* CachingHeap::take_free(const Request& request) {
  Pool& pool = *request.pool;
  if (collects_garbage()) ++pool.searches;
  Segment wanted{.stream = request.stream};
  Chunk key{.segment = &wanted, .bytes = request.bytes};
  const auto is_of_stream = [&](auto found) {
    return found != pool.free.end() && (*found)->segment->stream == request.stream;
  };
  auto found = pool.free.lower_bound(&key);
  if (is_of_stream(found) && (*found)->segment->is_expandable) {
    if (settings_.expandable_segments) {
      // What counts is the size to which a chunk can grow.
      const auto most_bytes = [](const Chunk& chunk) {
        const Chunk* const after = chunk.next();
        return chunk.bytes + (after != nullptr && !after->is_mapped ? after->bytes : 0);
      };
      for (auto after = std::next(found); (*found)->segment->is_expandable && is_of_stream(after) &&
                                          most_bytes(**after) < most_bytes(**found);
           ++after) {
        found = after;
      }
    } else {
      while (is_of_stream(found) && (*found)->segment->is_expandable) ++found;
    }
  }
  if (!is_of_stream(found)) return nullptr;
  Chunk* const chunk = *found;
  if (!may_serve(chunk->bytes, request.bytes, settings_)) return nullptr;
  pool.free.erase(found);
  return chunk;
}

Chunk* CachingHeap::make(const Request& request) {
  const std::uint64_t bytes = segment_bytes(request.bytes);
  if (settings_.capacity_bytes && reserved_bytes_ + bytes > *settings_.capacity_bytes) {
    return nullptr;
  }
  return settings_.expandable_segments ? expand(request) : make_segment(request);
}

Chunk* CachingHeap::make_segment(const Request& request) {
  const std::uint64_t bytes = segment_bytes(request.bytes);
  std::shared_ptr<SegmentMemory> memory = source_.make(bytes);
  if (memory == nullptr) return nullptr;
  Chunk& chunk = add_segment(request, std::move(memory), /*is_expandable=*/false);
  reserved_bytes_ += bytes;
  increase(&Statistics::segment, *request.pool, 1);
  increase(&Statistics::reserved_bytes, *request.pool, bytes);
  if (bytes >= settings_.max_split_bytes) statistics_.oversize_segments.increase(1);
  ++statistics_.num_device_alloc;
  return &chunk;
}

/// @return its one chunk, in no set, which has memory unless the segment is expandable.
Chunk& CachingHeap::add_segment(const Request& request, std::shared_ptr<SegmentMemory> memory,
                                bool is_expandable) {
  segments_.push_back({.memory = std::move(memory),
                       .pool = request.pool,
                       .stream = request.stream,
                       .is_expandable = is_expandable});
  Segment& segment = segments_.back();
  segment.place = std::prev(segments_.end());
  segment.chunks.push_back({.segment = &segment,
                            .address = segment.memory->address(),
                            .bytes = segment.memory->bytes(),
                            .is_mapped = !is_expandable});
  segment.chunks.back().place = segment.chunks.begin();
  return segment.chunks.back();
}

Chunk* CachingHeap::use(Chunk& found, const Request& request) {
  Chunk* chunk = &found;
  const bool counts_splits = !found.segment->is_expandable;
  const bool was_split = !found.is_whole();
  if (is_split(found.bytes, request.bytes, settings_)) {
    split(found, request.bytes);
    chunk = found.previous();
    if (counts_splits && was_split) {
      decrease(&Statistics::inactive_split_bytes, *request.pool, chunk->bytes);
    } else if (counts_splits) {
      increase(&Statistics::inactive_split_bytes, *request.pool, found.bytes);
      increase(&Statistics::inactive_split, *request.pool, 1);
    }
  } else if (counts_splits && was_split) {
    decrease(&Statistics::inactive_split_bytes, *request.pool, chunk->bytes);
    decrease(&Statistics::inactive_split, *request.pool, 1);
  }
  chunk->is_allocated = true;
  chunk->requested_bytes = request.requested_bytes;
  increase(&Statistics::allocation, *request.pool, 1);
  increase(&Statistics::allocated_bytes, *request.pool, chunk->bytes);
  increase(&Statistics::active, *request.pool, 1);
  increase(&Statistics::active_bytes, *request.pool, chunk->bytes);
  increase(&Statistics::requested_bytes, *request.pool, chunk->requested_bytes);
  if (chunk->bytes >= settings_.max_split_bytes) statistics_.oversize_allocations.increase(1);
  return chunk;
}

void CachingHeap::split(Chunk& chunk, std::uint64_t bytes) {
  std::list<Chunk>& chunks = chunk.segment->chunks;
  const auto lower = chunks.insert(
      chunk.place, {.segment = chunk.segment, .address = chunk.address, .bytes = bytes});
  lower->place = lower;
  chunk.address += bytes;
  chunk.bytes -= bytes;
  insert_free(chunk);
}

void CachingHeap::record_stream(Chunk& chunk, StreamId stream) {
  if (stream != chunk.segment->stream) chunk.recorded_streams.insert(stream);
}

void CachingHeap::free(Chunk& chunk, std::vector<std::pair<StreamId, HasFinished>> uses) {
  const Pool& pool = *chunk.segment->pool;
  chunk.is_allocated = false;
  chunk.recorded_streams.clear();
  decrease(&Statistics::allocation, pool, 1);
  decrease(&Statistics::allocated_bytes, pool, chunk.bytes);
  if (chunk.bytes >= settings_.max_split_bytes) statistics_.oversize_allocations.decrease(1);
  for (auto& [stream, has_finished] : uses) {
    ++chunk.pending_events;
    pending_[stream].push_back({std::move(has_finished), &chunk});
  }
  if (uses.empty()) make_free(chunk);
}

void CachingHeap::process_events() {
  for (auto of_stream = pending_.begin(); of_stream != pending_.end();) {
    std::deque<PendingUse>& uses = of_stream->second;
    // In order: events after an unfinished one are not queried.
    while (!uses.empty() && uses.front().has_finished()) {
      Chunk& chunk = *uses.front().chunk;
      uses.pop_front();
      if (--chunk.pending_events != 0) continue;
      if (hooks_.on_events_finished) hooks_.on_events_finished(chunk);
      make_free(chunk);
    }
    of_stream = uses.empty() ? pending_.erase(of_stream) : std::next(of_stream);
  }
}

void CachingHeap::make_free(Chunk& chunk) {
  const Pool& pool = *chunk.segment->pool;
  const std::uint64_t bytes = chunk.bytes;
  const Merged merged = merge_neighbours(chunk);
  insert_free(chunk);
  if (!chunk.segment->is_expandable) {
    const bool is_part = !chunk.is_whole();
    change(&Statistics::inactive_split, pool, is_part ? 1 : 0, merged.chunks);
    change(&Statistics::inactive_split_bytes, pool, is_part ? chunk.bytes : 0, merged.bytes);
  }
  decrease(&Statistics::active, pool, 1);
  decrease(&Statistics::active_bytes, pool, bytes);
  decrease(&Statistics::requested_bytes, pool, chunk.requested_bytes);
}

/// Merges free neighbours into the chunk that, like it, have memory or have none.
CachingHeap::Merged CachingHeap::merge_neighbours(Chunk& chunk) {
  Pool& pool = *chunk.segment->pool;
  Merged merged;
  for (Chunk* const neighbour : {chunk.previous(), chunk.next()}) {
    if (neighbour == nullptr || !neighbour->is_free() || neighbour->is_mapped != chunk.is_mapped) {
      continue;
    }
    if (neighbour->is_mapped) {
      pool.free.erase(neighbour);
    } else {
      pool.unmapped.erase(neighbour);
    }
    chunk.address = std::min(chunk.address, neighbour->address);
    chunk.bytes += neighbour->bytes;
    ++merged.chunks;
    merged.bytes += neighbour->bytes;
    chunk.segment->chunks.erase(neighbour->place);
  }
  return merged;
}

void CachingHeap::insert_free(Chunk& chunk) {
  Pool& pool = *chunk.segment->pool;
  chunk.searches_when_freed = pool.searches;
  pool.free.insert(&chunk);
}

std::uint64_t CachingHeap::active_bytes() const noexcept {
  return static_cast<std::uint64_t>(statistics_.active_bytes[kAll].current);
}

bool CachingHeap::collects_garbage() const noexcept {
  return settings_.capacity_bytes && settings_.garbage_collection_threshold > 0;
}

void CachingHeap::increase(StatisticOf statistic, const Pool& pool, std::uint64_t amount) {
  (statistics_.*statistic)[kAll].increase(amount);
  (statistics_.*statistic)[place_of(pool)].increase(amount);
}

void CachingHeap::change(StatisticOf statistic, const Pool& pool, std::uint64_t gained,
                         std::uint64_t lost) {
  if (gained > lost) increase(statistic, pool, gained - lost);
  if (lost > gained) decrease(statistic, pool, lost - gained);
}

void CachingHeap::decrease(StatisticOf statistic, const Pool& pool, std::uint64_t amount) {
  (statistics_.*statistic)[kAll].decrease(amount);
  (statistics_.*statistic)[place_of(pool)].decrease(amount);
}

}  // namespace runahead::device::caching
