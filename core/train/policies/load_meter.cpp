#include "core/train/policies/load_meter.h"

#include <algorithm>

namespace runahead::train {

void LoadMeter::on_push(const engine::OperationEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  advance(event.time);
  ++in_flight_;
  ++load_.operations;
  load_.most_in_flight = std::max(load_.most_in_flight, count_in_flight());
}

void LoadMeter::on_finish(const engine::OperationEvent& event) noexcept {
  const std::lock_guard lock(mutex_);
  advance(event.time);
  --in_flight_;
  load_.least_in_flight = std::min(load_.least_in_flight, count_in_flight());
}

void LoadMeter::on_wait_begin(const engine::WaitEvent& event) noexcept {
  if (event.cause != engine::WaitCause::kLimit) return;
  const std::lock_guard lock(mutex_);
  advance(event.time);
  ++held_threads_;
}

void LoadMeter::on_wait_end(const engine::WaitEvent& event) noexcept {
  if (event.cause != engine::WaitCause::kLimit) return;
  const std::lock_guard lock(mutex_);
  advance(event.time);
  --held_threads_;
}

void LoadMeter::begin(TimePoint now) {
  const std::lock_guard lock(mutex_);
  lead_seconds_ = 0.0;
  start_batch(now);
}

BatchLoad LoadMeter::end_batch(TimePoint now) {
  const std::lock_guard lock(mutex_);
  advance(now);
  load_.batch_seconds = seconds_between(batch_begun_, now);
  const BatchLoad load = load_;
  // A front end that has since become the slower side would have used up an old lead.
  lead_seconds_ = std::min(lead_seconds_, load.held_seconds);
  start_batch(now);
  return load;
}

std::uint64_t LoadMeter::count_in_flight() const noexcept {
  return static_cast<std::uint64_t>(in_flight_);
}

void LoadMeter::start_batch(TimePoint now) noexcept {
  load_ = {.most_in_flight = count_in_flight(), .least_in_flight = count_in_flight()};
  batch_begun_ = now;
  last_time_ = now;
}

/// Two threads may read the clock in one order and get here in the other; the later one then adds
/// nothing.
void LoadMeter::advance(TimePoint now) noexcept {
  if (now <= last_time_) return;
  const double seconds = seconds_between(last_time_, now);
  last_time_ = now;
  if (held_threads_ > 0) {
    load_.held_seconds += seconds;
    lead_seconds_ += seconds;
  }
  if (in_flight_ < workers_) {
    const double avoidable = std::min(seconds, lead_seconds_);
    load_.starved_seconds += avoidable;
    lead_seconds_ -= avoidable;
  }
}

}  // namespace runahead::train
