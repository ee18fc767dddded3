#include "core/device/allocator.h"

#include <malloc.h>
#include <unistd.h>

#include "core/device/block.h"

namespace runahead::device {
namespace {

c10::CachingAllocator::StatArray stat_of(const PeakCounter& counter) {
  c10::CachingAllocator::StatArray stats{};
  stats[0].current = static_cast<std::int64_t>(counter.current());
  stats[0].peak = static_cast<std::int64_t>(counter.peak());
  return stats;
}

}  // namespace

c10::DataPtr Allocator::allocate(std::size_t bytes) {
  c10::DataPtr pointer = Block::make_data_pointer(bytes, runtime_.blocks);
  if (runtime_.options().allocation == Allocation::kAtIssue) Block::of(pointer).memory();
  return pointer;
}

void Allocator::copy_data(void*, const void*, std::size_t) const {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "acpu: memory is copied by operations, not by address");
}

void Allocator::emptyCache(c10::MempoolId_t) { malloc_trim(0); }

c10::CachingDeviceAllocator::DeviceStats Allocator::getDeviceStats(c10::DeviceIndex) {
  const MemoryLedger& ledger = runtime_.ledger;
  c10::CachingDeviceAllocator::DeviceStats stats;
  stats.allocated_bytes = stat_of(ledger.live);
  stats.reserved_bytes = stat_of(ledger.live);
  stats.active_bytes = stat_of(ledger.live);
  stats.requested_bytes = stat_of(ledger.claimed);
  stats.allocation[0].allocated = static_cast<std::int64_t>(ledger.allocations.load());
  stats.allocation[0].freed = static_cast<std::int64_t>(ledger.frees.load());
  stats.allocation[0].current = stats.allocation[0].allocated - stats.allocation[0].freed;
  stats.num_ooms = static_cast<std::int64_t>(ledger.failures.load());
  stats.num_device_alloc = stats.allocation[0].allocated;
  stats.num_device_free = stats.allocation[0].freed;
  return stats;
}

void Allocator::resetPeakStats(c10::DeviceIndex) { reset_peaks(); }

std::pair<std::size_t, std::size_t> Allocator::getMemoryInfo(c10::DeviceIndex) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return {static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page,
          static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page};
}

}  // namespace runahead::device
