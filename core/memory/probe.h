#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace runahead::memory {

/// One reading: bytes or a count; nullopt where it could not be measured.
using Reading = std::optional<std::uint64_t>;

/// One source of readings (the process, an allocator, a backlog). Read by the monitor's thread
/// only.
class Probe {
 public:
  virtual ~Probe() = default;

  /// Names of the readings, with their unit (`rss_bytes`); fixed for the probe's life.
  [[nodiscard]] virtual const std::vector<std::string>& columns() const = 0;

  /// Fills `readings` (as many as there are columns). Quick: it runs at the monitor's rate.
  virtual void read(std::span<Reading> readings) noexcept = 0;

  /// CPU time that threads of its own have taken. Thread-safe.
  [[nodiscard]] virtual double own_cpu_seconds() const noexcept { return 0.0; }
};

}  // namespace runahead::memory
