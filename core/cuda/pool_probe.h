#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/peaks.h"
#include "core/memory/probe.h"

namespace runahead::cuda {

/// The driver's own pool of a device, which `cudaMallocAsync` allocates from; counted by the driver
/// at every change.
struct PoolFigures {
  Peaked used{};
  Peaked reserved{};  ///< In use or kept for reuse.
};

/// nullopt where LibTorch allocates otherwise, and without a context on `device`. Any thread; waits
/// for no work of the device.
[[nodiscard]] std::optional<PoolFigures> pool_figures(int device) noexcept;

/// Columns `cuda_pool_used_bytes`, `cuda_pool_reserved_bytes`. (LibTorch's AllocatorProbe shows the
/// same numbers under `cudaMallocAsync`: these are the driver's word.)
class PoolProbe final : public memory::Probe {
 public:
  explicit PoolProbe(int device) : device_(device) {}

  [[nodiscard]] const std::vector<memory::Column>& columns() const override { return columns_; }
  void read(std::span<memory::Reading> readings) noexcept override;

 private:
  int device_;
  std::vector<memory::Column> columns_{"cuda_pool_used_bytes", "cuda_pool_reserved_bytes"};
};

}  // namespace runahead::cuda
