#pragma once

#include "core/train/device_hold.h"

namespace runahead::train {

/// The asynchronous CPU device: every worker sleeps for the given time.
class AcpuHold final : public DeviceHold {
 public:
  /// May block at the run-ahead limit, which counts one operation per worker.
  /// @throws UsageError also if operations run at issue.
  void hold(double seconds) override;
};

}  // namespace runahead::train
