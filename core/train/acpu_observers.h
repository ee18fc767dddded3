#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/engine/observer.h"
#include "core/engine/observer_list.h"

namespace runahead::train {

/// What observes the engine of `acpu` in a program that has no DeviceSession: a pacer, a recording.
/// One object a process. Thread-safe.
class AcpuObservers {
 public:
  [[nodiscard]] static AcpuObservers& get();
  AcpuObservers(const AcpuObservers&) = delete;
  AcpuObservers& operator=(const AcpuObservers&) = delete;

  /// From now on, `added` observes the engine and `removed` no longer does; either may be null.
  /// Waits for all work, as device::configure does. @throws UsageError if the engine has an
  /// observer from elsewhere; what device::configure throws. In both cases nothing has changed.
  void exchange(const engine::Observer* removed, std::shared_ptr<engine::Observer> added);

 private:
  AcpuObservers() = default;

  std::mutex mutex_{};
  std::vector<std::shared_ptr<engine::Observer>> observers_{};
  std::unique_ptr<engine::ObserverList> list_{};  ///< What the engine has; null: nothing.
};

}  // namespace runahead::train
