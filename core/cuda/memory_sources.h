#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/cuda/nvml.h"
#include "core/memory/probe.h"

namespace runahead::cuda {

/// A counter's current value, and the highest since its peak was reset.
struct Peaked {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
};

/// Converts LibTorch's signed counters. A negative value becomes 0.
inline std::uint64_t count_of(std::int64_t value) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
}

/// The highest reading of one or more probes. Thread-safe, lock-free.
class SampledPeak {
 public:
  void note(std::uint64_t reading) noexcept {
    std::uint64_t highest = highest_.load(std::memory_order_relaxed);
    while (reading > highest &&
           !highest_.compare_exchange_weak(highest, reading, std::memory_order_relaxed)) {
    }
    has_readings_.store(true, std::memory_order_release);
  }

  void reset() noexcept {
    has_readings_.store(false, std::memory_order_relaxed);
    highest_.store(0, std::memory_order_relaxed);
  }

  /// nullopt if there was no reading.
  [[nodiscard]] std::optional<std::uint64_t> highest() const noexcept {
    if (!has_readings_.load(std::memory_order_acquire)) return std::nullopt;
    return highest_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> highest_{0};
  std::atomic<bool> has_readings_{false};
};

/// Counters of LibTorch's allocator for one device, updated at every change.
struct AllocatorFigures {
  Peaked allocated{};  ///< In tensors, as rounded by the allocator.
  Peaked reserved{};   ///< Claimed from the device, in use or kept for reuse.
  Peaked active{};     ///< Allocated, or freed while another stream may still use it.
  // Only the native allocator counts these; nullopt for others.
  std::optional<Peaked> requested{};               ///< In tensors, as requested.
  std::optional<std::uint64_t> alloc_retries{};    ///< Times it freed its cache to get memory.
  std::optional<std::uint64_t> out_of_memories{};  ///< Times that this did not help.
};

/// nullopt without a context on `device`, or before LibTorch's CUDA is initialised. Thread-safe;
/// never waits for the device, only for the lock under which tensors are allocated.
[[nodiscard]] std::optional<AllocatorFigures> allocator_figures(int device) noexcept;

/// Sets peaks to the present values and counts to 0. Does nothing without a context.
/// @throws c10::Error if CUDA has failed.
void reset_allocator_figures(int device);

/// Columns `cuda_allocated_bytes`, `cuda_reserved_bytes`, `cuda_active_bytes`,
/// `cuda_requested_bytes`.
[[nodiscard]] std::unique_ptr<memory::Probe> make_allocator_probe(int device);

/// The driver's own memory pool of a device, from which `cudaMallocAsync` allocates. The driver
/// counts these figures at every change.
struct PoolFigures {
  Peaked used{};
  Peaked reserved{};  ///< In use or kept for reuse.
};

/// nullopt if LibTorch uses another allocator, or without a context on `device`. Thread-safe; does
/// not wait for work on the device.
[[nodiscard]] std::optional<PoolFigures> pool_figures(int device) noexcept;

/// Columns `cuda_pool_used_bytes`, `cuda_pool_reserved_bytes`. (Under `cudaMallocAsync`,
/// make_allocator_probe() shows the same numbers as LibTorch reports them; these come from the
/// driver.)
[[nodiscard]] std::unique_ptr<memory::Probe> make_pool_probe(int device);

/// The memory of a device as its driver sees it (`cudaMemGetInfo`).
struct DeviceBytes {
  std::uint64_t used = 0;  ///< By all processes, including contexts and kernels.
  std::uint64_t total = 0;
};

/// nullopt without a context on `device`. Thread-safe; does not wait for work on the device.
[[nodiscard]] std::optional<DeviceBytes> device_bytes(int device) noexcept;

/// Column `cuda_used_bytes`. For a SlowLane: a reading queries the driver, which takes tens of
/// microseconds. @param used_peak  Notes each reading.
[[nodiscard]] std::unique_ptr<memory::Probe> make_driver_probe(
    int device, std::shared_ptr<SampledPeak> used_peak);

/// Page-locked host memory that LibTorch's allocator holds, in use or kept for reuse, counted at
/// every change. The size of each block is a power of two. nullopt without a context on `device`.
/// Thread-safe; does not wait for work on the device.
[[nodiscard]] std::optional<Peaked> pinned_bytes(int device) noexcept;

/// Sets its peak to the present value. Does nothing without a context. @throws c10::Error if CUDA
/// has failed.
void reset_pinned_peak(int device);

/// Returns blocks kept for reuse to the system. Does nothing without a context. A block whose copy
/// has not finished stays. @throws c10::Error if CUDA has failed.
void trim_pinned_memory(int device);

/// Column `cuda_pinned_bytes`. For a SlowLane: a reading takes LibTorch's locks of all block sizes,
/// and allocates.
[[nodiscard]] std::unique_ptr<memory::Probe> make_pinned_memory_probe(int device);

/// A CUDA device in the management library.
struct NvmlDevice {
  std::shared_ptr<const Nvml> library{};
  Nvml::Device device = nullptr;

  /// Device memory of this process; nullopt if the library does not report it.
  [[nodiscard]] std::optional<std::uint64_t> process_bytes() const noexcept;
};

/// nullopt if the library or the device is missing. Takes tens of milliseconds. Creates no context.
[[nodiscard]] std::optional<NvmlDevice> find_nvml_device(int device);

/// Columns `nvml_process_bytes` and `nvml_utilisation_percent`, null if the library does not report
/// them. For a SlowLane: a reading takes hundreds of microseconds.
/// @param device        If nullopt (no device), every reading is null.
/// @param process_peak  Notes each reading of the memory.
[[nodiscard]] std::unique_ptr<memory::Probe> make_nvml_probe(
    std::optional<NvmlDevice> device, std::shared_ptr<SampledPeak> process_peak);

}  // namespace runahead::cuda
