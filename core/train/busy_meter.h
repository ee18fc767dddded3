#pragma once

#include <cstdint>
#include <mutex>

#include "core/base/clock.h"
#include "core/engine/observer.h"

namespace runahead::train {

/// Measures how long at least one operation was executing, from what the engine tells its
/// observers: the back end's share of the time, whatever the front end waited for. Thread-safe.
class BusyMeter final : public engine::Observer {
 public:
  void on_start(const engine::OperationEvent& event) noexcept override;
  void on_finish(const engine::OperationEvent& event) noexcept override;

  /// Seconds from construction or reset() until then, the operations that are executing included.
  [[nodiscard]] double busy_seconds(TimePoint until) const;

  /// Forgets what was measured. To be called when nothing is in flight.
  void reset();

 private:
  mutable std::mutex mutex_;
  std::int64_t running_ = 0;
  TimePoint busy_since_{};
  double busy_seconds_ = 0.0;
};

}  // namespace runahead::train
