#include "core/train/policies/adaptive_window.h"

#include <algorithm>
#include <utility>

namespace runahead::train {
namespace {

constexpr int kFirstWindowPatience = 8;
constexpr int kMostWindowPatience = 1024;

}  // namespace

AdaptiveWindow::AdaptiveWindow() : patience_(kFirstWindowPatience) { choose(batches_); }

void AdaptiveWindow::note_batch(const WindowLoad& load) {
  const std::lock_guard lock(mutex_);
  series_.end_batch();
  if (!load.was_held) return;
  if (load.in_reserve == 0) {
    note_starved();
  } else {
    note_fed(load.in_reserve);
  }
}

void AdaptiveWindow::note_starved() {
  if (batches_before_ == 0) return choose(std::min(batches_ + 1, kMostBatches));
  patience_ = std::min(2 * patience_, kMostWindowPatience);
  choose(std::exchange(batches_before_, 0));
}

void AdaptiveWindow::note_fed(std::uint64_t in_reserve) {
  least_in_reserve_ = fed_batches_ == 0 ? in_reserve : std::min(least_in_reserve_, in_reserve);
  if (++fed_batches_ < patience_) return;
  fed_batches_ = 0;
  const std::uint64_t lowered = batches_ - std::min(batches_, least_in_reserve_ / 2);
  if (lowered == batches_ || lowered < kFirstBatches) return;
  batches_before_ = batches_;
  choose(lowered);
}

void AdaptiveWindow::choose(std::uint64_t batches) {
  batches_ = batches;
  fed_batches_ = 0;
  series_.note(batches_);
}

void AdaptiveWindow::restart_series() {
  const std::lock_guard lock(mutex_);
  series_.restart();
  series_.note(batches_);
}

std::uint64_t AdaptiveWindow::batches() const {
  const std::lock_guard lock(mutex_);
  return batches_;
}

std::vector<Choice> AdaptiveWindow::choices() const {
  const std::lock_guard lock(mutex_);
  return series_.choices();
}

}  // namespace runahead::train
