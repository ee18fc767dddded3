#pragma once

namespace runahead::train {

/// Occupies a device, so that what is issued meanwhile piles up.
class DeviceHold {
 public:
  virtual ~DeviceHold() = default;

  /// Queues work on the current stream that takes `seconds`. What is issued on that stream
  /// afterwards starts after it. Never blocks for this work. @param seconds  Above 0.
  /// @throws UsageError otherwise.
  virtual void hold(double seconds) = 0;
};

}  // namespace runahead::train
