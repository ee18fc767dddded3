#include "core/train/batch_meter.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

namespace runahead::train {

class BatchMeter::State {
 public:
  void issue(TimePoint time, std::uint64_t kept_bytes) {
    const std::lock_guard lock(mutex_);
    times_.issued.push_back(time);
    issued_bytes_ += kept_bytes;
    in_flight_peak_ = std::max(in_flight_peak_, in_flight());
    kept_bytes_peak_ = std::max(kept_bytes_peak_, kept_bytes_in_flight());
  }

  void finish(TimePoint time, std::uint64_t kept_bytes) {
    const std::lock_guard lock(mutex_);
    times_.finished.push_back(time);
    finished_bytes_ += kept_bytes;
  }

  [[nodiscard]] BatchCounts counts() const {
    const std::lock_guard lock(mutex_);
    return {.issued = times_.issued.size(),
            .finished = std::min(times_.finished.size(), times_.issued.size()),
            .in_flight = in_flight(),
            .in_flight_peak = in_flight_peak_,
            .kept_bytes = kept_bytes_in_flight(),
            .kept_bytes_peak = kept_bytes_peak_};
  }

  [[nodiscard]] BatchTimes times() const {
    const std::lock_guard lock(mutex_);
    return times_;
  }

 private:
  // A batch may have finished before the front end comes to count it as issued.
  [[nodiscard]] std::uint64_t in_flight() const {
    return times_.issued.size() - std::min(times_.finished.size(), times_.issued.size());
  }
  [[nodiscard]] std::uint64_t kept_bytes_in_flight() const {
    return issued_bytes_ - std::min(finished_bytes_, issued_bytes_);
  }

  mutable std::mutex mutex_;
  BatchTimes times_{};
  std::uint64_t in_flight_peak_ = 0;
  std::uint64_t issued_bytes_ = 0;  ///< That the batches issued so far keep, or have kept.
  std::uint64_t finished_bytes_ = 0;
  std::uint64_t kept_bytes_peak_ = 0;
};

class BatchMeter::BatchProbe final : public memory::Probe {
 public:
  explicit BatchProbe(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  [[nodiscard]] const std::vector<memory::Column>& columns() const override { return columns_; }

  void read(std::span<memory::Reading> readings) noexcept override {
    const BatchCounts counts = state_->counts();
    readings[0] = counts.in_flight;
    readings[1] = counts.issued;
    readings[2] = counts.finished;
    readings[3] = std::nullopt;
    if (counts.kept_bytes_peak > 0) readings[3] = counts.kept_bytes;
  }

 private:
  std::vector<memory::Column> columns_{"batches_in_flight", "batches_issued", "batches_finished",
                                       "kept_bytes"};
  std::shared_ptr<const State> state_;
};

BatchMeter::BatchMeter(BackEnd& back_end)
    : back_end_(back_end), state_(std::make_shared<State>()) {}

void BatchMeter::batch_issued(Batch batch) {
  std::array kept{back_end_.hold_memory(batch.inputs), back_end_.hold_memory(batch.targets)};
  const std::uint64_t kept_bytes = batch.kept_bytes;
  batch = {};  // From here on only what is in flight keeps it.
  back_end_.mark([state = state_, kept = std::move(kept), kept_bytes](TimePoint time) mutable {
    kept = {};
    state->finish(time, kept_bytes);
  });
  state_->issue(Clock::now(), kept_bytes);
}

BatchCounts BatchMeter::counts() const { return state_->counts(); }

BatchTimes BatchMeter::times() const { return state_->times(); }

std::unique_ptr<memory::Probe> BatchMeter::make_probe() const {
  return std::make_unique<BatchProbe>(state_);
}

}  // namespace runahead::train
