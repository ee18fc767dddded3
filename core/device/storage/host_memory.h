#pragma once

#include <c10/core/Allocator.h>

#include <cstdint>

#include "core/device/storage/memory_ledger.h"

namespace runahead::device {

/// Uninitialised memory, from LibTorch's CPU allocator. A failure is counted in `ledger`.
/// @throws OutOfMemoryError
[[nodiscard]] c10::DataPtr allocate_host_memory(std::uint64_t bytes, MemoryLedger& ledger);

}  // namespace runahead::device
