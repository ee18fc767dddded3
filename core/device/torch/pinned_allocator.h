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

/// Pinned host memory for the device, as CUDA's: LibTorch's own caching host allocator. It rounds
/// requests up to powers of two and keeps what is freed for reuse; memory that a copy in flight
/// reads is reused once an event after that copy has finished. What a GPU would lock in memory is
/// resident here, and no copy is faster for it. Thread-safe.
namespace runahead::device {

/// The one of the process, never destroyed.
[[nodiscard]] at::HostAllocator& pinned_allocator();

/// Whether `address` lies in memory of pinned_allocator().
[[nodiscard]] bool is_pinned(const void* address);

/// `stream` uses the pinned memory at `address`: freed, it is not reused before what `stream` has
/// issued until then has finished. Precondition: is_pinned(address).
/// @return what orders operations on that memory, as a block does on the device's.
[[nodiscard]] engine::VariablePtr record_pinned_use(const void* address, c10::Stream stream);

/// Memory that the allocator has from the system, in use or kept; bytes.
[[nodiscard]] std::uint64_t pinned_bytes() noexcept;

/// Sets the peaks of pinned_memory_statistics() to the present values.
void reset_pinned_peaks();

/// LibTorch's statistics of host memory, named as `torch.cuda.host_memory_stats` names them.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> pinned_memory_statistics();

}  // namespace runahead::device
