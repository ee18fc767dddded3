#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/peaks.h"
#include "core/memory/probe.h"

namespace runahead::cuda {

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
class AllocatorProbe final : public memory::Probe {
 public:
  explicit AllocatorProbe(int device) : device_(device) {}

  [[nodiscard]] const std::vector<memory::Column>& columns() const override { return columns_; }
  void read(std::span<memory::Reading> readings) noexcept override;

 private:
  int device_;
  std::vector<memory::Column> columns_{{"cuda_allocated_bytes", "CUDA allocated"},
                                       {"cuda_reserved_bytes", "CUDA reserved"},
                                       {"cuda_active_bytes", "CUDA active"},
                                       "cuda_requested_bytes"};
};

}  // namespace runahead::cuda
