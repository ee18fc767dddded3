#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/device/device.h"

namespace runahead::python {

/// A run-ahead limit from Python values; None means no limit of that kind.
/// @param operations  An int, at least 1.
/// @param bytes  A number of bytes, at least 1, or a size such as "256MiB".
/// @param seconds  A number of seconds above 0, or a duration such as "500ms".
/// @throws TypeError, ConfigError
[[nodiscard]] engine::RunAheadLimit limit_of(const py::object& operations, const py::object& bytes,
                                             const py::object& seconds);

/// The limit from the environment variable RUNAHEAD_LIMIT: a size, as for set_limit(bytes=…), or
/// `off` for no limit. nullopt if it is unset or empty. @throws ConfigError for any other value.
[[nodiscard]] std::optional<engine::RunAheadLimit> limit_of_environment();

/// Changes to the device's settings.
class DeviceChanges {
 public:
  /// @param given  By name; None leaves a setting unchanged.
  /// workers: an int, 0 to 256.
  /// ready_order: "first_ready" or "oldest_first".
  /// allocation: "at_issue", "in_stream_order", "caching" or "at_execution".
  /// allocator: a str for engine::parse_allocator_settings.
  /// capacity: a number of bytes, at least 1, a size such as "512MiB", or "off".
  /// intra_op_threads: threads of each worker; an int, at least 1.
  /// host_copies: "snapshot" or "keep".
  /// products: "libtorch" or "fastest".
  /// freed_memory: "returned" or "kept".
  /// @throws TypeError, ConfigError
  explicit DeviceChanges(const py::dict& given);

  /// Needs no interpreter lock.
  void apply(device::DeviceOptions& options) const {
    for (const auto& change : changes_) change(options);
  }

 private:
  std::vector<std::function<void(device::DeviceOptions&)>> changes_{};
};

}  // namespace runahead::python
