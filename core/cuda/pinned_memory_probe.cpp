#include "core/cuda/pinned_memory_probe.h"

#include <ATen/core/CachingHostAllocator.h>

#include <cstdint>
#include <exception>

#include "core/cuda/context.h"

namespace runahead::cuda {
namespace {

at::HostAllocator& host_allocator() { return *at::getHostAllocator(c10::DeviceType::CUDA); }

}  // namespace

// Does not use `active_bytes`: LibTorch 2.11 does not subtract freed bytes from it.
std::optional<Peaked> pinned_bytes(int device) noexcept {
  if (!has_context(device)) return std::nullopt;
  try {
    const auto stats = host_allocator().get_stats();
    return Peaked{.current = count_of(stats.allocated_bytes.current),
                  .peak = count_of(stats.allocated_bytes.peak)};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void reset_pinned_peak(int device) {
  if (has_context(device)) host_allocator().reset_peak_stats();
}

void trim_pinned_memory(int device) {
  if (has_context(device)) host_allocator().empty_cache();
}

void PinnedMemoryProbe::read(std::span<memory::Reading> readings) noexcept {
  const std::optional<Peaked> pinned = pinned_bytes(device_);
  readings[0] = pinned ? memory::Reading(pinned->current) : std::nullopt;
}

}  // namespace runahead::cuda
