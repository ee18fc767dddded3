#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/engine/observer.h"
#include "core/engine/observer_list.h"

namespace runahead::train {

/// The observers of `acpu`'s engine in a program without a DeviceSession, such as a pacer or a
/// recording. One object per process. Thread-safe.
class AcpuObservers {
 public:
  [[nodiscard]] static AcpuObservers& get();
  AcpuObservers(const AcpuObservers&) = delete;
  AcpuObservers& operator=(const AcpuObservers&) = delete;

  /// From now on, `added` observes the engine and `removed` no longer does; either may be null.
  /// Waits for all work, as device::configure does. @throws UsageError if the engine has an
  /// observer that was set elsewhere; what device::configure throws. Either way nothing changes.
  void exchange(const engine::Observer* removed, std::shared_ptr<engine::Observer> added);
  /// Adds the observer of a recording. @throws UsageError if another recording has not ended; what
  /// exchange() throws.
  void begin_recording(std::shared_ptr<engine::Observer> added);
  /// Lets the next recording begin.
  void end_recording() noexcept { is_recorded_ = false; }
  /// Removes `leaving` at the next exchange, without a wait: until then it goes on observing.
  void leave(const engine::Observer* leaving);

 private:
  AcpuObservers() = default;

  std::mutex mutex_{};
  std::atomic<bool> is_recorded_{false};
  std::vector<std::shared_ptr<engine::Observer>> observers_{};
  std::vector<const engine::Observer*> leaving_{};  ///< Among `observers_`.
  std::unique_ptr<engine::ObserverList> list_{};    ///< The engine's observer; null: none.
};

}  // namespace runahead::train
