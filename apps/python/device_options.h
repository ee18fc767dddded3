#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstdint>
#include <optional>

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

/// Changes to the device's settings; None leaves a setting unchanged.
class DeviceChanges {
 public:
  /// @param workers  An int, 0 to 256.
  /// @param ready_order  "first_ready" or "oldest_first".
  /// @param allocation  "at_issue", "in_stream_order", "caching" or "at_execution".
  /// @param allocator  A str for engine::parse_allocator_settings.
  /// @param capacity  A number of bytes, at least 1, a size such as "512MiB", or "off".
  /// @param intra_op_threads  Threads of each worker; an int, at least 1.
  /// @param host_copies  "snapshot" or "keep".
  /// @param products  "libtorch" or "fastest".
  /// @param freed_memory  "returned" or "kept".
  /// @throws TypeError, ConfigError
  DeviceChanges(const py::object& workers, const py::object& ready_order,
                const py::object& allocation, const py::object& allocator,
                const py::object& capacity, const py::object& intra_op_threads,
                const py::object& host_copies, const py::object& products,
                const py::object& freed_memory);

  /// Needs no interpreter lock.
  void apply(device::DeviceOptions& options) const;

 private:
  std::optional<int> workers_{};
  std::optional<engine::ReadyOrder> ready_order_{};
  std::optional<device::Allocation> allocation_{};
  std::optional<engine::AllocatorSettings> allocator_{};
  std::optional<std::optional<std::uint64_t>> capacity_bytes_{};  ///< Empty inside: no bound.
  std::optional<int> intra_op_threads_{};
  std::optional<device::HostCopies> host_copies_{};
  std::optional<device::ProductLibrary> products_{};
  std::optional<device::FreedMemory> freed_memory_{};
};

}  // namespace runahead::python
