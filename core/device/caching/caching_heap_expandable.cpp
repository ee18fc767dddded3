#include <algorithm>
#include <iterator>

#include "core/device/caching/caching_heap.h"

// Segments that grow: a range of addresses for each stream and pool, which is backed with memory
// page by page.
namespace runahead::device::caching {
namespace {

std::uint64_t page_bytes(const Pool& pool) {
  return pool.is_small ? kSmallSegmentBytes : kLargeSegmentBytes;
}

/// The pages that lie entirely within a range.
struct WholePages {
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
};

WholePages whole_pages(const Chunk& chunk) {
  const std::uint64_t page = page_bytes(*chunk.segment->pool);
  const std::uintptr_t base = chunk.segment->memory->address();
  const std::uint64_t begin = rounded_up(chunk.address - base, page);
  const std::uint64_t end = (chunk.address + chunk.bytes - base) / page * page;
  return {.address = base + begin, .bytes = begin < end ? end - begin : 0};
}

/// Whether the chunk and the free ones that follow it add up to `bytes`.
bool has_room(const Chunk& chunk, std::uint64_t bytes) {
  std::uint64_t room = 0;
  for (auto each = chunk.place; each != chunk.segment->chunks.end() && each->is_free(); ++each) {
    room += each->bytes;
    if (room >= bytes) return true;
  }
  return false;
}

}  // namespace

/// A chunk of at least the request's size that has memory, and is in no set.
Chunk* CachingHeap::expand(const Request& request) {
  Chunk* chunk = find_expandable(request);
  if (chunk == nullptr) return nullptr;
  if (!chunk->is_mapped && !map(*chunk, std::min(chunk->bytes, request.bytes))) return nullptr;
  while (chunk->bytes < request.bytes) {
    Chunk& after = *chunk->next();  // Without memory: map() merges `chunk` into it.
    if (!map(after, std::min(request.bytes - chunk->bytes, after.bytes))) return nullptr;
    chunk = &after;
  }
  request.pool->free.erase(chunk);
  return chunk;
}

/// The lowest place with room: a chunk without memory, or a free one before it.
Chunk* CachingHeap::find_expandable(const Request& request) {
  Segment wanted{.stream = request.stream};
  Chunk key{.segment = &wanted};
  const auto& unmapped = request.pool->unmapped;
  for (auto each = unmapped.lower_bound(&key);
       each != unmapped.end() && (*each)->segment->stream == request.stream; ++each) {
    Chunk* candidate = *each;
    Chunk* const before = candidate->previous();
    if (before != nullptr && before->is_free()) candidate = before;
    if (has_room(*candidate, request.bytes)) return candidate;
  }
  return reserve_segment(request);
}

Chunk* CachingHeap::reserve_segment(const Request& request) {
  const std::uint64_t page = page_bytes(*request.pool);
  const std::uint64_t device = settings_.capacity_bytes.value_or(source_.total_bytes());
  const std::uint64_t bytes = std::max(rounded_up(device + device / 8, page), page);
  if (bytes < request.bytes) return nullptr;
  std::shared_ptr<SegmentMemory> memory = source_.reserve(bytes);
  if (memory == nullptr) return nullptr;
  Chunk& chunk = add_segment(request, std::move(memory), /*is_expandable=*/true);
  request.pool->unmapped.insert(&chunk);
  return &chunk;
}

/// Backs the lower part of a chunk with memory, in whole pages, and merges it with free neighbours.
bool CachingHeap::map(Chunk& chunk, std::uint64_t bytes) {
  Segment& segment = *chunk.segment;
  Pool& pool = *segment.pool;
  const std::uint64_t mapped_bytes = rounded_up(bytes, page_bytes(pool));
  if (!segment.memory->map(chunk.address, mapped_bytes)) return false;
  pool.unmapped.erase(&chunk);
  chunk.is_mapped = true;
  if (mapped_bytes < chunk.bytes) {
    const auto rest =
        segment.chunks.insert(std::next(chunk.place), {.segment = &segment,
                                                       .address = chunk.address + mapped_bytes,
                                                       .bytes = chunk.bytes - mapped_bytes,
                                                       .is_mapped = false});
    rest->place = rest;
    pool.unmapped.insert(&*rest);
    chunk.bytes = mapped_bytes;
  }
  merge_neighbours(chunk);
  insert_free(chunk);
  reserved_bytes_ += mapped_bytes;
  increase(&Statistics::reserved_bytes, pool, mapped_bytes);
  ++statistics_.num_device_alloc;
  return true;
}

/// Returns the whole pages of a free chunk, and the segment's addresses if none are left.
void CachingHeap::unmap(Chunk& chunk) {
  Segment& segment = *chunk.segment;
  Pool& pool = *segment.pool;
  const WholePages pages = whole_pages(chunk);
  if (pages.bytes == 0) return;
  if (hooks_.is_in_flight && hooks_.is_in_flight(pages.address, pages.bytes)) return;
  segment.memory->unmap(pages.address, pages.bytes);
  pool.free.erase(&chunk);
  const auto insert_part = [&](auto place, std::uintptr_t address, std::uint64_t bytes) {
    if (bytes == 0) return;
    const auto part =
        segment.chunks.insert(place, {.segment = &segment, .address = address, .bytes = bytes});
    part->place = part;
    insert_free(*part);
  };
  const std::uintptr_t end = chunk.address + chunk.bytes;
  insert_part(chunk.place, chunk.address, pages.address - chunk.address);
  insert_part(std::next(chunk.place), pages.address + pages.bytes,
              end - (pages.address + pages.bytes));
  chunk.address = pages.address;
  chunk.bytes = pages.bytes;
  chunk.is_mapped = false;
  merge_neighbours(chunk);
  pool.unmapped.insert(&chunk);
  reserved_bytes_ -= pages.bytes;
  decrease(&Statistics::reserved_bytes, pool, pages.bytes);
  ++statistics_.num_device_free;
  if (!chunk.is_whole()) return;
  pool.unmapped.erase(&chunk);
  segments_.erase(segment.place);
}

}  // namespace runahead::device::caching
