#include "core/cuda/memory_sources.h"

#include <ATen/core/CachingHostAllocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "core/cuda/active_allocator.h"
#include "core/cuda/context.h"

namespace runahead::cuda {
namespace {

using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

Peaked aggregate_of(const StatArray& stats) {
  const auto& all = stats[static_cast<std::size_t>(StatType::AGGREGATE)];
  return {.current = count_of(all.current), .peak = count_of(all.peak)};
}

AllocatorFigures figures_of(const DeviceStats& stats) {
  AllocatorFigures figures{.allocated = aggregate_of(stats.allocated_bytes),
                           .reserved = aggregate_of(stats.reserved_bytes),
                           .active = aggregate_of(stats.active_bytes)};
  if (is_native_allocator()) {
    figures.requested = aggregate_of(stats.requested_bytes);
    figures.alloc_retries = count_of(stats.num_alloc_retries);
    figures.out_of_memories = count_of(stats.num_ooms);
  }
  return figures;
}

std::optional<std::uint64_t> attribute(cudaMemPool_t pool, cudaMemPoolAttr which) noexcept {
  std::uint64_t value = 0;
  if (!succeeded(cudaMemPoolGetAttribute(pool, which, &value))) return std::nullopt;
  return value;
}

std::optional<Peaked> peaked(cudaMemPool_t pool, cudaMemPoolAttr current,
                             cudaMemPoolAttr highest) noexcept {
  const auto now = attribute(pool, current);
  const auto peak = attribute(pool, highest);
  if (!now || !peak) return std::nullopt;
  return Peaked{.current = *now, .peak = *peak};
}

at::HostAllocator& host_allocator() { return *at::getHostAllocator(c10::DeviceType::CUDA); }

}  // namespace

std::optional<AllocatorFigures> allocator_figures(int device) noexcept {
  if (!has_context(device)) return std::nullopt;
  try {
    return figures_of(
        c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(device)));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void reset_allocator_figures(int device) {
  if (!has_context(device)) return;
  const auto index = static_cast<c10::DeviceIndex>(device);
  c10::cuda::CUDACachingAllocator::resetPeakStats(index);
  if (is_native_allocator()) c10::cuda::CUDACachingAllocator::resetAccumulatedStats(index);
}

std::unique_ptr<memory::Probe> make_allocator_probe(int device) {
  return std::make_unique<memory::FunctionProbe>(
      std::vector<memory::Column>{{"cuda_allocated_bytes", "CUDA allocated"},
                                  {"cuda_reserved_bytes", "CUDA reserved"},
                                  {"cuda_active_bytes", "CUDA active"},
                                  "cuda_requested_bytes"},
      [device](std::span<memory::Reading> readings) {
        const std::optional<AllocatorFigures> figures = allocator_figures(device);
        if (!figures) return;
        readings[0] = figures->allocated.current;
        readings[1] = figures->reserved.current;
        readings[2] = figures->active.current;
        if (figures->requested) readings[3] = figures->requested->current;
      });
}

std::optional<PoolFigures> pool_figures(int device) noexcept {
  if (is_native_allocator()) return std::nullopt;
  const ContextScope context(device);
  if (!context.is_there()) return std::nullopt;
  cudaMemPool_t pool = nullptr;
  if (!succeeded(cudaDeviceGetDefaultMemPool(&pool, device))) return std::nullopt;
  const auto used = peaked(pool, cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh);
  const auto reserved =
      peaked(pool, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh);
  if (!used || !reserved) return std::nullopt;
  return PoolFigures{.used = *used, .reserved = *reserved};
}

std::unique_ptr<memory::Probe> make_pool_probe(int device) {
  return std::make_unique<memory::FunctionProbe>(
      std::vector<memory::Column>{"cuda_pool_used_bytes", "cuda_pool_reserved_bytes"},
      [device](std::span<memory::Reading> readings) {
        const std::optional<PoolFigures> figures = pool_figures(device);
        if (!figures) return;
        readings[0] = figures->used.current;
        readings[1] = figures->reserved.current;
      });
}

std::optional<DeviceBytes> device_bytes(int device) noexcept {
  const ContextScope context(device);
  if (!context.is_there()) return std::nullopt;
  std::size_t free = 0;
  std::size_t total = 0;
  if (!succeeded(cudaMemGetInfo(&free, &total))) return std::nullopt;
  return DeviceBytes{.used = total - free, .total = total};
}

std::unique_ptr<memory::Probe> make_driver_probe(int device,
                                                 std::shared_ptr<SampledPeak> used_peak) {
  return std::make_unique<memory::FunctionProbe>(
      std::vector<memory::Column>{{"cuda_used_bytes", "CUDA used"}},
      [device, used_peak = std::move(used_peak)](std::span<memory::Reading> readings) {
        const std::optional<DeviceBytes> memory = device_bytes(device);
        if (!memory) return;
        readings[0] = memory->used;
        used_peak->note(memory->used);
      });
}

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

std::unique_ptr<memory::Probe> make_pinned_memory_probe(int device) {
  return std::make_unique<memory::FunctionProbe>(
      std::vector<memory::Column>{{"cuda_pinned_bytes", "page-locked on the host"}},
      [device](std::span<memory::Reading> readings) {
        if (const std::optional<Peaked> pinned = pinned_bytes(device)) {
          readings[0] = pinned->current;
        }
      });
}

std::optional<std::uint64_t> NvmlDevice::process_bytes() const noexcept {
  return library->process_bytes(device, static_cast<std::uint32_t>(getpid()));
}

std::optional<NvmlDevice> find_nvml_device(int device) {
  if (device < 0 || device >= device_count()) return std::nullopt;
  std::array<char, 32> bus_id{};
  const auto length = static_cast<int>(bus_id.size());
  if (!succeeded(cudaDeviceGetPCIBusId(bus_id.data(), length, device))) return std::nullopt;
  NvmlDevice found{.library = Nvml::open()};
  if (found.library == nullptr) return std::nullopt;
  found.device = found.library->find_device(bus_id.data());
  return found.device == nullptr ? std::nullopt : std::optional(std::move(found));
}

std::unique_ptr<memory::Probe> make_nvml_probe(std::optional<NvmlDevice> device,
                                               std::shared_ptr<SampledPeak> process_peak) {
  return std::make_unique<memory::FunctionProbe>(
      std::vector<memory::Column>{"nvml_process_bytes", "nvml_utilisation_percent"},
      [device = std::move(device),
       process_peak = std::move(process_peak)](std::span<memory::Reading> readings) {
        if (!device) return;
        readings[0] = device->process_bytes();
        if (readings[0]) process_peak->note(*readings[0]);
        readings[1] = device->library->utilisation_percent(device->device);
      });
}

}  // namespace runahead::cuda
