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

  /// Returns the memory that its allocators keep for reuse to the device and the host. Nothing may
  /// be in flight.
  virtual void trim() = 0;

  /// The counts since reset_peaks(), as a JSON object that also says which sources are available;
  /// the figures of the others are null. Any thread. Never waits for the device's work and never
  /// creates a context, but may wait for a lock of the allocators.
  [[nodiscard]] virtual Json report() const = 0;

  /// Probes of the same sources, with the same guarantees. They may outlive this object.
  [[nodiscard]] virtual std::vector<std::unique_ptr<memory::Probe>> make_probes() const = 0;
};

}  // namespace runahead::train
