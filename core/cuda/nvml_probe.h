#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cuda/nvml.h"
#include "core/cuda/peaks.h"
#include "core/memory/probe.h"

namespace runahead::cuda {

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
class NvmlProbe final : public memory::Probe {
 public:
  /// @param device        If nullopt (no device), every reading is null.
  /// @param process_peak  Notes each reading of the memory.
  NvmlProbe(std::optional<NvmlDevice> device, std::shared_ptr<SampledPeak> process_peak);

  [[nodiscard]] const std::vector<memory::Column>& columns() const override { return columns_; }
  void read(std::span<memory::Reading> readings) noexcept override;

 private:
  std::optional<NvmlDevice> device_;
  std::shared_ptr<SampledPeak> process_peak_;
  std::vector<memory::Column> columns_{"nvml_process_bytes", "nvml_utilisation_percent"};
};

}  // namespace runahead::cuda
