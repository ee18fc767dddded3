#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/peaks.h"
#include "core/memory/probe.h"

namespace runahead::cuda {

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
class PinnedMemoryProbe final : public memory::Probe {
 public:
  explicit PinnedMemoryProbe(int device) : device_(device) {}

  [[nodiscard]] const std::vector<memory::Column>& columns() const override { return columns_; }
  void read(std::span<memory::Reading> readings) noexcept override;

 private:
  int device_;
  std::vector<memory::Column> columns_{{"cuda_pinned_bytes", "page-locked on the host"}};
};

}  // namespace runahead::cuda
