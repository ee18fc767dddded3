#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/peaks.h"
#include "core/memory/probe.h"

namespace runahead::cuda {

/// The memory of a device as its driver sees it (`cudaMemGetInfo`).
struct DeviceBytes {
  std::uint64_t used = 0;  ///< By all processes, including contexts and kernels.
  std::uint64_t total = 0;
};

/// nullopt without a context on `device`. Thread-safe; does not wait for work on the device.
[[nodiscard]] std::optional<DeviceBytes> device_bytes(int device) noexcept;

/// Column `cuda_used_bytes`. For a SlowLane: a reading queries the driver, which takes tens of
/// microseconds.
class CudaMemoryProbe final : public memory::Probe {
 public:
  /// @param used_peak  Notes each reading.
  CudaMemoryProbe(int device, std::shared_ptr<SampledPeak> used_peak);

  [[nodiscard]] const std::vector<memory::Column>& columns() const override { return columns_; }
  void read(std::span<memory::Reading> readings) noexcept override;

 private:
  int device_;
  std::shared_ptr<SampledPeak> used_peak_;
  std::vector<memory::Column> columns_{{"cuda_used_bytes", "CUDA used"}};
};

}  // namespace runahead::cuda
