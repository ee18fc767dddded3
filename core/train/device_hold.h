#pragma once

namespace runahead::train {

/// Occupies a device, so that what is issued meanwhile piles up.
class DeviceHold {
 public:
  virtual ~DeviceHold() = default;

  /// Queues, on the current stream, work that takes so long; what is issued on that stream
  /// afterwards starts after it. Never blocks for it. @param seconds  Above 0.
  /// @throws UsageError otherwise.
  virtual void hold(double seconds) = 0;
};

}  // namespace runahead::train
