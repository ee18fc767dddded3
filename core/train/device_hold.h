#pragma once

namespace runahead::train {

/// Keeps a device busy, so that work issued meanwhile piles up.
class DeviceHold {
 public:
  virtual ~DeviceHold() = default;

  /// Queues work on the current stream that takes `seconds`. Work issued on that stream afterwards
  /// starts after it. Never blocks for this work. @param seconds  Above 0.
  /// @throws UsageError otherwise.
  virtual void hold(double seconds) = 0;
};

}  // namespace runahead::train
