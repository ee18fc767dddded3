#include "core/recording/batch_counter.h"

#include <algorithm>
#include <span>
#include <utility>

namespace runahead::recording {

void BatchCounter::issue(TimePoint time, std::uint64_t kept_bytes) {
  const std::lock_guard lock(mutex_);
  ++issued_;
  last_issued_ = time;
  issued_bytes_ += kept_bytes;
  in_flight_peak_ = std::max(in_flight_peak_, in_flight());
  kept_bytes_peak_ = std::max(kept_bytes_peak_, kept_bytes_in_flight());
}

void BatchCounter::finish(TimePoint time, std::uint64_t kept_bytes) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  ++finished_;
  if (finish_times_.size() < kMostFinishTimes) finish_times_.push_back(time);
  finished_bytes_ += kept_bytes;
}

void BatchCounter::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

BatchCounts BatchCounter::counts() const {
  const std::lock_guard lock(mutex_);
  return {.issued = issued_,
          .finished = std::min(finished_, issued_),
          .in_flight = in_flight(),
          .in_flight_peak = in_flight_peak_,
          .kept_bytes = kept_bytes_in_flight(),
          .kept_bytes_peak = kept_bytes_peak_};
}

std::optional<TimePoint> BatchCounter::last_issued() const {
  const std::lock_guard lock(mutex_);
  return last_issued_;
}

std::vector<TimePoint> BatchCounter::finish_times() const {
  const std::lock_guard lock(mutex_);
  return finish_times_;
}

// A batch may finish before the front end counts it as issued.
std::uint64_t BatchCounter::in_flight() const { return issued_ - std::min(finished_, issued_); }

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
