#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/peaks.h"
#include "core/memory/probe.h"

namespace runahead::cuda {

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
/// AllocatorProbe shows the same numbers as LibTorch reports them; these come from the driver.)
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
