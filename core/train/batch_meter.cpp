#include "core/train/batch_meter.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace runahead::train {

class BatchMeter::State {
 public:
  void issue(TimePoint time) {
    const std::lock_guard lock(mutex_);
    times_.issued.push_back(time);
    in_flight_peak_ = std::max(in_flight_peak_, in_flight());
  }

  void finish(TimePoint time) {
    const std::lock_guard lock(mutex_);
    times_.finished.push_back(time);
  }

  [[nodiscard]] BatchCounts counts() const {
    const std::lock_guard lock(mutex_);
    return {.issued = times_.issued.size(),
            .finished = std::min(times_.finished.size(), times_.issued.size()),
            .in_flight = in_flight(),
            .in_flight_peak = in_flight_peak_};
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

  mutable std::mutex mutex_;
  BatchTimes times_{};
  std::uint64_t in_flight_peak_ = 0;
};

class BatchMeter::BatchProbe final : public memory::Probe {
 public:
  explicit BatchProbe(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  [[nodiscard]] const std::vector<std::string>& columns() const override { return columns_; }

  void read(std::span<memory::Reading> readings) noexcept override {
    const BatchCounts counts = state_->counts();
    readings[0] = counts.in_flight;
    readings[1] = counts.issued;
    readings[2] = counts.finished;
  }

 private:
  std::vector<std::string> columns_{"batches_in_flight", "batches_issued", "batches_finished"};
  std::shared_ptr<const State> state_;
};

BatchMeter::BatchMeter(BackEnd& back_end)
    : back_end_(back_end), state_(std::make_shared<State>()) {}

void BatchMeter::batch_issued(Batch batch) {
  std::array kept{back_end_.hold_memory(batch.inputs), back_end_.hold_memory(batch.targets)};
  batch = {};  // From here on only what is in flight keeps it.
  back_end_.mark([state = state_, kept = std::move(kept)](TimePoint time) mutable {
    kept = {};
    state->finish(time);
  });
  state_->issue(Clock::now());
}

BatchCounts BatchMeter::counts() const { return state_->counts(); }

BatchTimes BatchMeter::times() const { return state_->times(); }

std::unique_ptr<memory::Probe> BatchMeter::make_probe() const {
  return std::make_unique<BatchProbe>(state_);
}

}  // namespace runahead::train
