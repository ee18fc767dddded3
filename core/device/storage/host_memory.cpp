#include "core/device/storage/host_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <string>

#include "core/base/error.h"
#include "core/device/storage/warm_memory.h"

namespace runahead::device {

c10::DataPtr allocate_host_memory(std::uint64_t bytes, MemoryLedger& ledger) {
  const WarmMemory::Scope device_memory;
  try {
    return c10::GetCPUAllocator()->allocate(bytes);
  } catch (const c10::Error& error) {
    ledger.failures.fetch_add(1, std::memory_order_relaxed);
    throw OutOfMemoryError("acpu: could not allocate " + std::to_string(bytes) +
                           " bytes: " + error.what_without_backtrace());
  }
}

}  // namespace runahead::device
