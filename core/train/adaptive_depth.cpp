#include "core/train/adaptive_depth.h"

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
    ++batches_;
    const std::uint64_t depth_before = controller_.depth();
    controller_.note_batch(load);
    depth = controller_.depth();
    if (depth == depth_before) return;
    note_choice();
  }
  set_depth_(depth);
}

void AdaptiveDepth::restart_series() {
  const std::lock_guard lock(mutex_);
  batches_ = 0;
  choices_.clear();
  if (controller_.depth() != DepthController::kNoDepth) note_choice();
}

std::uint64_t AdaptiveDepth::depth() const {
  const std::lock_guard lock(mutex_);
  return controller_.depth();
}

std::vector<DepthChoice> AdaptiveDepth::choices() const {
  const std::lock_guard lock(mutex_);
  return {choices_.begin(), choices_.end()};
}

void AdaptiveDepth::note_choice() {
  choices_.push_back({batches_, controller_.depth()});
  if (choices_.size() > kKeptChoices) choices_.pop_front();
}

}  // namespace runahead::train
