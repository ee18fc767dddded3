#include "core/recording/batch_counter.h"

#include <algorithm>
#include <span>
#include <utility>

namespace runahead::recording {

void BatchCounter::issue(TimePoint time, std::uint64_t kept_bytes) {
  const std::lock_guard lock(mutex_);
  times_.issued.push_back(time);
  issued_bytes_ += kept_bytes;
  in_flight_peak_ = std::max(in_flight_peak_, in_flight());
  kept_bytes_peak_ = std::max(kept_bytes_peak_, kept_bytes_in_flight());
}

void BatchCounter::finish(TimePoint time, std::uint64_t kept_bytes) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  times_.finished.push_back(time);
  finished_bytes_ += kept_bytes;
}

void BatchCounter::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

BatchCounts BatchCounter::counts() const {
  const std::lock_guard lock(mutex_);
  return {.issued = times_.issued.size(),
          .finished = std::min(times_.finished.size(), times_.issued.size()),
          .in_flight = in_flight(),
          .in_flight_peak = in_flight_peak_,
          .kept_bytes = kept_bytes_in_flight(),
          .kept_bytes_peak = kept_bytes_peak_};
}

BatchTimes BatchCounter::times() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

// A batch may finish before the front end counts it as issued.
std::uint64_t BatchCounter::in_flight() const {
  return times_.issued.size() - std::min(times_.finished.size(), times_.issued.size());
}

std::uint64_t BatchCounter::kept_bytes_in_flight() const {
  return issued_bytes_ - std::min(finished_bytes_, issued_bytes_);
}

std::unique_ptr<memory::Probe> make_batch_probe(std::shared_ptr<const BatchCounter> counter) {
  return std::make_unique<memory::FunctionProbe>(
      std::vector<memory::Column>{"batches_in_flight", "batches_issued", "batches_finished",
                                  "kept_bytes"},
      [counter = std::move(counter)](std::span<memory::Reading> readings) {
        const BatchCounts counts = counter->counts();
        readings[0] = counts.in_flight;
        readings[1] = counts.issued;
        readings[2] = counts.finished;
        if (counts.kept_bytes_peak > 0) readings[3] = counts.kept_bytes;
      });
}

}  // namespace runahead::recording
