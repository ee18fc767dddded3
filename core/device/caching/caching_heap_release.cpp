#include <algorithm>
#include <array>
#include <vector>

#include "core/device/caching/caching_heap.h"

// What is returned to the system, and when.
namespace runahead::device::caching {

namespace {

using Statistics = CachingHeap::Statistics;

constexpr std::array kStatisticsByPool{
    &Statistics::allocation,      &Statistics::segment,
    &Statistics::active,          &Statistics::inactive_split,
    &Statistics::allocated_bytes, &Statistics::reserved_bytes,
    &Statistics::active_bytes,    &Statistics::inactive_split_bytes,
    &Statistics::requested_bytes};

/// How many searches of its pool a free chunk has seen.
std::uint64_t age_of(const Chunk& chunk) {
  return chunk.segment->pool->searches - chunk.searches_when_freed;
}

bool is_releasable(const Chunk& chunk) { return !chunk.segment->is_expandable && chunk.is_whole(); }

}  // namespace

void CachingHeap::release_cached() {
  ++statistics_.num_sync_all_streams;
  process_events();
  release_cached(large_);
  release_cached(small_);
}

void CachingHeap::release_cached(Pool& pool) {
  for (Chunk* const chunk : std::vector<Chunk*>(pool.free.begin(), pool.free.end())) {
    if (chunk->segment->is_expandable) {
      unmap(*chunk);
    } else if (is_releasable(*chunk)) {
      release(*chunk);
    }
  }
}

/// If splitting has a limit, returns free chunks above it until the request fits.
bool CachingHeap::release_oversized(const Request& request) {
  if (settings_.max_split_bytes == AllocatorSettings::kNoSplitLimit) return false;
  Pool& pool = *request.pool;
  const std::uint64_t wanted_bytes = std::max(request.bytes, settings_.max_split_bytes);
  Segment wanted{.stream = request.stream};
  Chunk key{.segment = &wanted, .bytes = wanted_bytes};
  auto found = pool.free.lower_bound(&key);
  if (found != pool.free.end() && (*found)->segment->stream == request.stream) {
    if (!is_releasable(**found)) return false;
    release(**found);
    return true;
  }
  // None is large enough: the largest first, as many as it takes.
  std::uint64_t released_bytes = 0;
  while (released_bytes < wanted_bytes && found != pool.free.begin()) {
    Chunk& chunk = **--found;
    if (chunk.segment->stream != request.stream || chunk.bytes < settings_.max_split_bytes) break;
    if (!is_releasable(chunk)) break;
    released_bytes += chunk.bytes;
    ++found;
    release(chunk);
  }
  return released_bytes >= wanted_bytes;
}

/// Returns free segments that are older than the average, until enough is returned.
void CachingHeap::collect_garbage() {
  if (!collects_garbage()) return;
  const auto threshold = static_cast<std::uint64_t>(settings_.garbage_collection_threshold *
                                                    static_cast<double>(*settings_.capacity_bytes));
  if (reserved_bytes_ <= threshold) return;
  const std::uint64_t wanted_bytes = reserved_bytes_ - threshold;
  std::uint64_t total_age = 0;
  std::vector<Chunk*> candidates;
  for (Chunk* const chunk : large_.free) {
    if (!is_releasable(*chunk)) continue;
    total_age += age_of(*chunk);
    candidates.push_back(chunk);
  }
  std::uint64_t released_bytes = 0;
  bool has_released = true;
  while (released_bytes < wanted_bytes && has_released && !candidates.empty()) {
    const double least_age =
        static_cast<double>(total_age) / static_cast<double>(candidates.size());
    const auto kept = std::stable_partition(
        candidates.begin(), candidates.end(),
        [&](const Chunk* chunk) { return static_cast<double>(age_of(*chunk)) < least_age; });
    has_released = kept != candidates.end();
    for (auto old = kept; old != candidates.end(); ++old) {
      released_bytes += (*old)->bytes;
      total_age -= age_of(**old);
      release(**old);
    }
    candidates.erase(kept, candidates.end());
  }
}

void CachingHeap::release(Chunk& chunk) {
  Segment& segment = *chunk.segment;
  Pool& pool = *segment.pool;
  ++statistics_.num_device_free;
  reserved_bytes_ -= chunk.bytes;
  decrease(&Statistics::segment, pool, 1);
  decrease(&Statistics::reserved_bytes, pool, chunk.bytes);
  if (chunk.bytes >= settings_.max_split_bytes) statistics_.oversize_segments.decrease(1);
  pool.free.erase(&chunk);
  segments_.erase(segment.place);
}

void CachingHeap::reset_accumulated_statistics() noexcept {
  for (const StatisticOf statistic : kStatisticsByPool) {
    for (auto& stat : statistics_.*statistic) stat.reset_accumulated();
  }
  statistics_.oversize_allocations.reset_accumulated();
  statistics_.oversize_segments.reset_accumulated();
  statistics_.num_alloc_retries = 0;
  statistics_.num_ooms = 0;
  statistics_.num_sync_all_streams = 0;
  statistics_.num_device_alloc = 0;
  statistics_.num_device_free = 0;
}

void CachingHeap::reset_peak_statistics() noexcept {
  for (const StatisticOf statistic : kStatisticsByPool) {
    for (auto& stat : statistics_.*statistic) stat.reset_peak();
  }
  statistics_.oversize_allocations.reset_peak();
  statistics_.oversize_segments.reset_peak();
}

}  // namespace runahead::device::caching
