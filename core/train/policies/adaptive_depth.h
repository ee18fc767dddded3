#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "core/base/clock.h"
#include "core/engine/observer.h"
#include "core/train/policies/choice_series.h"
#include "core/train/policies/depth_controller.h"
#include "core/train/policies/load_meter.h"

namespace runahead::train {

/// The sync policy `adaptive` of one device: measures each batch, chooses and sets the depth of the
/// next, and records the choices.
class AdaptiveDepth {
 public:
  /// Sets how many operations the device allows in flight; must not block.
  using SetDepth = std::function<void(std::uint64_t operations)>;

  /// @param workers  The device's workers, >= 1. @param set_depth  Called on the front end's thread
  /// after each batch that changed the depth.
  AdaptiveDepth(int workers, SetDepth set_depth);

  /// Must observe the device's engine: every operation and wait.
  [[nodiscard]] engine::Observer& observer() noexcept { return meter_; }

  /// Call when a loop begins. Front end only.
  void begin(TimePoint now);
  /// Call when a batch was issued. Front end only; never blocks.
  void end_batch(TimePoint now);
  /// Discards the choices but keeps the current depth; counts batches from 0. Front end only.
  void restart_series();

  /// DepthController::kNoDepth until the first batch was issued. Any thread.
  [[nodiscard]] std::uint64_t depth() const;
  /// The depths chosen, in operations, oldest first; before the first no depth was set. Any thread.
  [[nodiscard]] std::vector<Choice> choices() const;

 private:
  LoadMeter meter_;
  SetDepth set_depth_;
  mutable std::mutex mutex_{};  ///< Guards what follows.
  DepthController controller_;
  ChoiceSeries series_{};
};

}  // namespace runahead::train
