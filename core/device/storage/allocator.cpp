#include "core/device/storage/allocator.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/device/failures.h"
#include "core/device/storage/block.h"
#include "core/device/storage/commitment.h"
#include "core/device/storage/statistics.h"
#include "core/device/torch/guard.h"
#include "core/memory/cgroup.h"
#include "core/memory/heap.h"

namespace runahead::device {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

constexpr std::array kStatistics{&DeviceStats::allocation,     &DeviceStats::segment,
                                 &DeviceStats::active,         &DeviceStats::allocated_bytes,
                                 &DeviceStats::reserved_bytes, &DeviceStats::active_bytes,
                                 &DeviceStats::requested_bytes};
/// What the address space of a process holds. The sums of the ledger must not overflow.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 47;

constexpr std::array kCounts{&DeviceStats::num_alloc_retries, &DeviceStats::num_ooms,
                             &DeviceStats::num_device_alloc, &DeviceStats::num_device_free};

}  // namespace

c10::DataPtr Allocator::allocate(std::size_t bytes) try {
  static_cast<void>(Runtime::get());  // Throws in a forked child, where no wait would end.
  if (bytes > kMostBytes) {
    runtime_.ledger.failures.fetch_add(1, std::memory_order_relaxed);
    throw OutOfMemoryError("acpu out of memory: tried to allocate " + format_bytes(bytes) +
                           "; a process can address " + format_bytes(kMostBytes));
  }
  const Allocation model = runtime_.allocation();
  if (model == Allocation::kInStreamOrder && bytes != 0) return allocate_segment(bytes);
  if (model == Allocation::kCaching && bytes != 0) return allocate_cached(bytes);
  c10::DataPtr pointer = Block::make_data_pointer(bytes, runtime_.blocks);
  if (model == Allocation::kAtIssue) {
    Commitment commitment(runtime_, bytes);
    Block& block = Block::of(pointer);
    block.claim();
    block.take_over(commitment);
  }
  return pointer;
} catch (const OutOfMemoryError& error) {
  throw_to_torch(error);
}

c10::DataPtr Allocator::allocate_segment(std::size_t bytes) {
  Commitment commitment(runtime_, runtime_.segments.bytes_to_commit(bytes));
  MemoryLease lease = runtime_.segments.take(bytes);
  // Another thread may have taken or released a segment meanwhile.
  commitment.resize(lease.is_committed ? 0 : lease.memory->bytes());
  if (lease.is_committed) runtime_.ledger.foresee_reuse(lease.memory->bytes());
  c10::DataPtr pointer = Block::make_data_pointer(bytes, runtime_.blocks, std::move(lease));
  commitment.hand_over();
  return pointer;
}

c10::DataPtr Allocator::allocate_cached(std::size_t bytes) {
  Commitment commitment(runtime_, runtime_.caching.bytes_to_commit(bytes));
  MemoryLease lease = runtime_.caching.take(bytes, runtime_);
  try {
    commitment.resize(lease.memory->bytes());  // A chunk may be larger than the request.
  } catch (...) {                              // Ctrl-C ended a wait at the limit.
    runtime_.caching.give_back(lease);
    throw;
  }
  c10::DataPtr pointer = Block::make_data_pointer(bytes, runtime_.blocks, std::move(lease));
  commitment.hand_over();
  return pointer;
}

void Allocator::recordStream(const c10::DataPtr& pointer, c10::Stream stream) {
  static_cast<void>(runtime_.streams.of(stream.id()));  // Throws if there is none.
  if (pointer.get_context() == nullptr) return;
  runtime_.caching.record_stream(Block::of(pointer).pool_memory(), stream.id());
}

void Allocator::copy_data(void*, const void*, std::size_t) const {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "acpu: memory is copied by operations, not by address");
}

void Allocator::emptyCache(c10::MempoolId_t) {
  if (Runtime::find() == nullptr) return;  // A forked child, where locks may be held forever.
  runtime_.segments.empty();
  if (is_caching()) runtime_.caching.empty(runtime_);
  runtime_.warm_memory.return_kept();
  memory::trim_heap();
}

DeviceStats Allocator::getDeviceStats(c10::DeviceIndex index) {
  require_index(index);
  if (is_caching()) return runtime_.caching.statistics();
  DeviceStats stats = statistics();
  const std::lock_guard lock(mutex_);
  for (const auto statistic : kStatistics) {
    Stat& stat = (stats.*statistic)[kAll];
    stat.allocated -= (accumulated_before_.*statistic)[kAll].allocated;
    stat.freed -= (accumulated_before_.*statistic)[kAll].freed;
  }
  for (const auto count : kCounts) stats.*count -= accumulated_before_.*count;
  return stats;
}

DeviceStats Allocator::statistics() const {
  const MemoryLedger& ledger = runtime_.ledger;
  DeviceStats stats;
  stats.allocation[kAll] = stat_of(ledger.allocated.count);
  stats.allocated_bytes[kAll] = stat_of(ledger.allocated.bytes);
  stats.requested_bytes[kAll] = stat_of(ledger.requested);
  stats.active[kAll] = stat_of(ledger.live.count);
  stats.active_bytes[kAll] = stat_of(ledger.live.bytes);
  stats.segment[kAll] = stat_of(ledger.segments(), ledger.segments_peak(), ledger.segments_made());
  stats.reserved_bytes[kAll] =
      stat_of(ledger.reserved_bytes(), ledger.reserved_peak_bytes(), ledger.bytes_made());
  stats.num_alloc_retries = static_cast<std::int64_t>(ledger.retries.load());
  stats.num_ooms = static_cast<std::int64_t>(ledger.failures.load());
  stats.num_device_alloc = stats.segment[kAll].allocated;
  stats.num_device_free = stats.segment[kAll].freed;
  return stats;
}

void Allocator::resetAccumulatedStats(c10::DeviceIndex index) {
  require_index(index);
  runtime_.caching.reset_accumulated_statistics();
  const DeviceStats now = statistics();
  const std::lock_guard lock(mutex_);
  accumulated_before_ = now;
}

void Allocator::resetPeakStats(c10::DeviceIndex index) {
  require_index(index);
  runtime_.reset_memory_peaks(/*forgets_calls=*/false);
}

std::pair<std::size_t, std::size_t> Allocator::getMemoryInfo(c10::DeviceIndex index) {
  require_index(index);
  const auto capacity = runtime_.options().allocator.capacity_bytes;
  if (is_caching() && capacity) {
    const auto reserved = static_cast<std::uint64_t>(statistics().reserved_bytes[kAll].current);
    return {*capacity - std::min(*capacity, reserved), *capacity};
  }
  const auto total = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {std::min(memory::available_memory_bytes().value_or(total), total), total};
}

}  // namespace runahead::device
