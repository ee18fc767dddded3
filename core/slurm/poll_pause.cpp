#include "core/slurm/poll_pause.h"

#include <algorithm>

namespace runahead::slurm {

namespace {

constexpr double kLongestSeconds = 10.0;
constexpr double kGrowth = 1.5;

}  // namespace

void PollPause::begin() {
  left_seconds_ = next_seconds_;
  next_seconds_ = std::min(next_seconds_ * kGrowth, kLongestSeconds);
}

void PollPause::shorten_next() { next_seconds_ = kFirstSeconds; }

bool PollPause::wait(std::optional<double>& patience_seconds) {
  if (left_seconds_ <= 0.0) return true;
  if (patience_seconds && *patience_seconds <= 0.0) return false;
  const double wait_seconds = std::min(left_seconds_, patience_seconds.value_or(left_seconds_));
  host_.wait(wait_seconds);
  left_seconds_ -= wait_seconds;
  if (patience_seconds) *patience_seconds -= wait_seconds;
  return left_seconds_ <= 0.0;
}

}  // namespace runahead::slurm
