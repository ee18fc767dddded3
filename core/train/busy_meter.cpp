#include "core/train/busy_meter.h"

#include <chrono>

namespace runahead::train {

void BusyMeter::on_start(const engine::OperationEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  if (running_++ == 0) busy_since_ = event.time;
}

void BusyMeter::on_finish(const engine::OperationEvent& event) noexcept {
  if (event.skipped) return;
  const std::lock_guard lock(mutex_);
  if (--running_ == 0) busy_seconds_ += seconds_between(busy_since_, event.time);
}

void BusyMeter::on_wait_begin(const engine::WaitEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  if (std::this_thread::get_id() != front_end_) return;
  waited_ -= event.time.time_since_epoch();
}

void BusyMeter::on_wait_end(const engine::WaitEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  if (std::this_thread::get_id() != front_end_) return;
  waited_ += event.time.time_since_epoch();
}

void BusyMeter::count_waits_of_this_thread() {
  const std::lock_guard lock(mutex_);
  front_end_ = std::this_thread::get_id();
}

double BusyMeter::waited_seconds() const {
  const std::lock_guard lock(mutex_);
  return std::chrono::duration<double>(waited_).count();
}

double BusyMeter::busy_seconds(TimePoint until) const {
  const std::lock_guard lock(mutex_);
  if (running_ == 0 || until < busy_since_) return busy_seconds_;
  return busy_seconds_ + seconds_between(busy_since_, until);
}

void BusyMeter::reset() {
  const std::lock_guard lock(mutex_);
  running_ = 0;
  busy_seconds_ = 0.0;
}

}  // namespace runahead::train
