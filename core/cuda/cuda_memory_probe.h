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
  std::uint64_t used = 0;  ///< By every process, contexts and kernels included.
  std::uint64_t total = 0;
};

/// nullopt without a context on `device`. Any thread; waits for no work of the device.
[[nodiscard]] std::optional<DeviceBytes> device_bytes(int device) noexcept;

/// Column `cuda_used_bytes`. A reading asks the driver, which takes tens of microseconds: for a
/// SlowLane.
class CudaMemoryProbe final : public memory::Probe {
 public:
  /// @param used_peak  Gets each reading.
  CudaMemoryProbe(int device, std::shared_ptr<SampledPeak> used_peak);

  [[nodiscard]] const std::vector<memory::Column>& columns() const override { return columns_; }
  void read(std::span<memory::Reading> readings) noexcept override;

 private:
  int device_;
  std::shared_ptr<SampledPeak> used_peak_;
  std::vector<memory::Column> columns_{{"cuda_used_bytes", "CUDA used"}};
};

}  // namespace runahead::cuda
