#include "core/train/policies/depth_controller.h"

#include <algorithm>

namespace runahead::train {
namespace {

constexpr double kStarvedShare = 0.005;  // Above this: starved.
constexpr double kFedShare = 0.001;      // Below this: fed.
constexpr std::uint64_t kMostDepth = std::uint64_t{1} << 20;
constexpr double kRoundingUp = 0.75;  // A spare of at least half an operation makes a step of one.
constexpr int kFirstPatience = 4;
constexpr int kMostPatience = 1024;
// For depths beyond a whole batch.
constexpr double kInsistentShare = 0.02;
constexpr double kInsistence = 2.5;
constexpr double kInsistenceWear = 0.125;  // Per fed batch.

constexpr double kShift = 0.2;
constexpr int kTimesOff = 3;
constexpr double kFollowShare = 0.125;

std::uint64_t more_than(std::uint64_t operations_of_a_batch) noexcept {
  return std::min(operations_of_a_batch + operations_of_a_batch / 4, kMostDepth);
}

}  // namespace

bool ShiftDetector::note(double figure) noexcept {
  if (usual_ <= 0.0) {
    usual_ = figure;
    return false;
  }
  const double off = figure / usual_ - 1.0;
  if (off > kShift) {
    times_off_ = std::max(times_off_, 0) + 1;
  } else if (off < -kShift) {
    times_off_ = std::min(times_off_, 0) - 1;
  } else {
    times_off_ = 0;
    usual_ += kFollowShare * (figure - usual_);
  }
  if (times_off_ > -kTimesOff && times_off_ < kTimesOff) return false;
  times_off_ = 0;
  usual_ = figure;
  return true;
}

DepthController::DepthController(int workers) noexcept
    : workers_(static_cast<std::uint64_t>(workers)), patience_(kFirstPatience) {}

void DepthController::note_batch(const BatchLoad& load) noexcept {
  if (load.operations == 0 || load.batch_seconds <= 0.0) return;
  if (depth_ == kNoDepth) {
    depth_ = std::max(more_than(load.operations), workers_ + 1);
    return;
  }
  const bool has_batch_shifted = batch_shift_.note(load.batch_seconds);
  const bool has_front_end_shifted = front_end_shift_.note(load.batch_seconds - load.held_seconds);
  if (has_batch_shifted || has_front_end_shifted) forget_lowerings();
  // The front end may have been held by a bound other than this one.
  const bool was_depth_reached = std::max(load.most_in_flight, most_in_flight_before_) >= depth_;
  most_in_flight_before_ = load.most_in_flight;
  const double starved_share = was_depth_reached ? load.starved_seconds / load.batch_seconds : 0.0;
  if (starved_share > kStarvedShare) {
    note_starved(starved_share, load.operations);
  } else if (starved_share < kFedShare) {
    note_fed(load);
  }
}

void DepthController::note_starved(double starved_share,
                                   std::uint64_t operations_of_a_batch) noexcept {
  fed_batches_ = 0;
  if (depth_before_) {
    most_too_low_ = depth_;
    depth_ = *depth_before_;
    depth_before_.reset();
    patience_ = std::min(2 * patience_, kMostPatience);
    return;
  }
  const std::uint64_t most = more_than(operations_of_a_batch);
  if (depth_ < most) {
    depth_ = std::min(2 * depth_, most);
  } else if (starved_share > kInsistentShare && ++insistence_ >= kInsistence) {
    depth_ = std::min(depth_ + depth_ / 2, kMostDepth);
    insistence_ = 0.0;
  }
}

void DepthController::note_fed(const BatchLoad& load) noexcept {
  insistence_ = std::max(0.0, insistence_ - kInsistenceWear);
  const std::uint64_t queued = load.least_in_flight - std::min(load.least_in_flight, workers_);
  const double to_spare = static_cast<double>(queued) * load.held_seconds / load.batch_seconds;
  to_spare_ = fed_batches_ == 0 ? to_spare : std::min(to_spare_, to_spare);
  if (++fed_batches_ < patience_) return;
  fed_batches_ = 0;
  lower(load.operations);
}

void DepthController::forget_lowerings() noexcept {
  patience_ = kFirstPatience;
  depth_before_.reset();
  most_too_low_ = 0;
}

void DepthController::lower(std::uint64_t operations_of_a_batch) noexcept {
  std::uint64_t least =
      workers_ == 1 ? workers_ + 1 : std::max(workers_ + 1, operations_of_a_batch);
  if (most_too_low_ != 0 && most_too_low_ < depth_) {
    least = std::max(least, most_too_low_ + (depth_ - most_too_low_) / 2);
  }
  const auto step = static_cast<std::uint64_t>(to_spare_ / 2 + kRoundingUp);
  if (step == 0 || depth_ <= least) return;
  depth_before_ = depth_;
  depth_ -= std::min(step, depth_ - least);
}

}  // namespace runahead::train
