#pragma once

#include <optional>
#include <string>

#include "core/base/json.h"

namespace runahead::cuda {

/// The CUDA devices and versions that this process can use.
struct Availability {
  int devices = 0;
  std::string problem{};  ///< Why there is no device, without a full stop; "" if there is one.
  /// Version that the driver supports, in CUDA's encoding: 13000 is 13.0. nullopt without a driver.
  std::optional<int> driver_version{};
  std::optional<int> runtime_version{};  ///< Version of the library; nullopt if LibTorch has none.
};

/// Looks for devices, which takes up to some tenths of a second if there are any. Creates no
/// context. Problems of the system are reported, not thrown. Thread-safe.
[[nodiscard]] Availability availability();

/// "13.0" for 13000.
[[nodiscard]] inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// "NVIDIA H200"; nullopt if there is no such device. Creates no context. Thread-safe.
[[nodiscard]] std::optional<std::string> device_name(int device);

/// Maps each source of figures (cuda_memory, allocator, pinned_memory, pool, nvml) to whether a run
/// on the device could read it; all false if there is no such device. Creates no context.
/// Thread-safe.
[[nodiscard]] Json probe_availability(int device);

/// An object for each device: `device` (cuda:0, …), `name`, `compute_capability`,
/// `total_memory_bytes` and `probes`; empty without devices. A value that a device does not report
/// is null. Creates no context. Thread-safe.
[[nodiscard]] Json describe_devices();

}  // namespace runahead::cuda
