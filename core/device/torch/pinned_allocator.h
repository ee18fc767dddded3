#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Stream.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/variable.h"

namespace at {
struct HostAllocator;
}

/// Pinned host memory for the device, like CUDA's: LibTorch's own caching host allocator. It rounds
/// requests up to powers of two and keeps freed memory for reuse; memory that a copy in flight
/// reads is reused once an event after that copy has finished. Memory that would be page-locked for
/// a GPU is resident here, and makes no copy faster. Thread-safe.
namespace runahead::device {

/// The only one of the process, never destroyed.
[[nodiscard]] at::HostAllocator& pinned_allocator();

/// Whether `address` lies in memory of pinned_allocator().
[[nodiscard]] bool is_pinned(const void* address);

/// Records that `stream` uses the pinned memory at `address`: once freed, it is not reused before
/// everything issued on `stream` by then has finished. Precondition: is_pinned(address).
/// @return the variable that orders operations on that memory, as a block does on the device's.
[[nodiscard]] engine::VariablePtr record_pinned_use(const void* address, c10::Stream stream);

/// The same variable, for a wait. Precondition: is_pinned(address).
[[nodiscard]] engine::VariablePtr pinned_variable(const void* address);

/// Bytes that the allocator has obtained from the system, in use or kept.
[[nodiscard]] std::uint64_t pinned_bytes() noexcept;

/// Sets the peaks of pinned_memory_statistics() to the present values.
void reset_pinned_peaks();

/// LibTorch's statistics of host memory, named as `torch.cuda.host_memory_stats` names them.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> pinned_memory_statistics();

}  // namespace runahead::device
