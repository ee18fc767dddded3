#include "core/train/policies/adaptive_depth.h"

#include <utility>

namespace runahead::train {

AdaptiveDepth::AdaptiveDepth(int workers, SetDepth set_depth)
    : meter_(workers), set_depth_(std::move(set_depth)), controller_(workers) {}

void AdaptiveDepth::begin(TimePoint now) { meter_.begin(now); }

void AdaptiveDepth::end_batch(TimePoint now) {
  const BatchLoad load = meter_.end_batch(now);
  std::uint64_t depth = 0;
  {
    const std::lock_guard lock(mutex_);
    series_.end_batch();
    const std::uint64_t depth_before = controller_.depth();
    controller_.note_batch(load);
    depth = controller_.depth();
    if (depth == depth_before) return;
    series_.note(depth);
  }
  set_depth_(depth);
}

void AdaptiveDepth::restart_series() {
  const std::lock_guard lock(mutex_);
  series_.restart();
  const std::uint64_t depth = controller_.depth();
  if (depth != DepthController::kNoDepth) series_.note(depth);
}

std::uint64_t AdaptiveDepth::depth() const {
  const std::lock_guard lock(mutex_);
  return controller_.depth();
}

std::vector<Choice> AdaptiveDepth::choices() const {
  const std::lock_guard lock(mutex_);
  return series_.choices();
}

}  // namespace runahead::train
