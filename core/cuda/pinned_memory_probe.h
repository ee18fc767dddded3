#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/peaks.h"
#include "core/memory/probe.h"

namespace runahead::cuda {

/// Page-locked memory of the host that LibTorch's allocator has from the system, in use or kept for
/// reuse, each block a power of two of bytes; counted at every change. nullopt without a context on
/// `device`. Any thread; waits for no work of the device.
[[nodiscard]] std::optional<Peaked> pinned_bytes(int device) noexcept;

/// Sets its peak to the present value; nothing without a context. @throws c10::Error if CUDA has
/// failed.
void reset_pinned_peak(int device);

/// Gives what is kept for reuse back to the system; nothing without a context. A block whose copy
/// has not passed stays. @throws c10::Error if CUDA has failed.
void trim_pinned_memory(int device);

/// Column `cuda_pinned_bytes`. A reading takes LibTorch's locks of every size, and allocates: for a
/// SlowLane.
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
