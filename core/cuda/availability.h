#pragma once

#include <optional>
#include <string>

#include "core/base/json.h"

namespace runahead::cuda {

/// What there is of CUDA for this process.
struct Availability {
  int devices = 0;
  std::string problem{};  ///< Why there is none, a sentence without its full stop; "" if there is.
  /// What the driver supports, as CUDA numbers it: 13000 is 13.0. nullopt: there is no driver.
  std::optional<int> driver_version{};
  std::optional<int> runtime_version{};  ///< Likewise, of the library; nullopt: LibTorch has none.
};

/// Looks for devices; takes up to some tenths of a second where there are. Makes no context, throws
/// nothing that the system is to blame for. Thread-safe.
[[nodiscard]] Availability availability();

/// "13.0" of 13000.
[[nodiscard]] inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// "NVIDIA H200"; nullopt if the device is not there. Makes no context. Thread-safe.
[[nodiscard]] std::optional<std::string> device_name(int device);

/// Each source of figures by its name (cuda_memory, allocator, pinned_memory, pool, nvml), and
/// whether a run on that device could read it; all false if the device is not there. Makes no
/// context. Thread-safe.
[[nodiscard]] Json probe_availability(int device);

/// An object for each device: `device` (cuda:0, …), `name`, `compute_capability`,
/// `total_memory_bytes` and `probes`; empty if there is none. What a device does not report is
/// null. Makes no context. Thread-safe.
[[nodiscard]] Json describe_devices();

}  // namespace runahead::cuda
