#pragma once

#include <memory>
#include <vector>

#include "core/base/json.h"
#include "core/memory/probe.h"

namespace runahead::train {

/// The memory of a device that has its own (`cuda`).
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  /// Sets every peak to the present value. Nothing may be in flight.
  virtual void reset_peaks() = 0;

  /// Returns what its allocators keep for reuse to the device and to the host. Nothing may be in
  /// flight.
  virtual void trim() = 0;

  /// What was counted since reset_peaks(), as a JSON object, which also says which sources are
  /// available; the figures of the others are null. Any thread. Never waits for the device's work
  /// and never makes a context, but may wait for a lock of the allocators.
  [[nodiscard]] virtual Json report() const = 0;

  /// Probes of the same sources, likewise. They may outlive this object.
  [[nodiscard]] virtual std::vector<std::unique_ptr<memory::Probe>> make_probes() const = 0;
};

}  // namespace runahead::train
