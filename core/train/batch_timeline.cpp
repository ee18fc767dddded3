#include "core/train/batch_timeline.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace runahead::train {

/// Shared with the marks, whose callbacks may run on any thread.
class BatchTimeline::State {
 public:
  State(std::size_t count, BackEnd& back_end, BusySeconds busy_seconds,
        WaitedSeconds waited_seconds)
      : count_(count),
        back_end_(back_end),
        busy_seconds_(std::move(busy_seconds)),
        waited_seconds_(std::move(waited_seconds)) {
    batches_.reserve(count);
  }

  void begin(TimePoint time) {
    if (begun_++ >= count_) return;
    const std::optional<ClaimedBytes> claimed = back_end_.claimed_bytes();
    const std::lock_guard lock(mutex_);
    // Minus the time waited before: issue() adds the time waited so far.
    batches_.push_back(
        {.admitted = time, .waited_seconds = -waited_seconds(), .when_admitted = claimed});
  }

  /// Index of the front end's current batch; nullopt before the first and once `count` batches are
  /// recorded.
  [[nodiscard]] std::optional<std::size_t> present() const {
    return begun_ >= 1 && begun_ <= count_ ? std::optional(begun_ - 1) : std::nullopt;
  }

  template <typename Note>
  void note(std::size_t batch, Note&& note) {
    const std::lock_guard lock(mutex_);
    note(batches_[batch]);
  }

  void compute(std::size_t batch, TimePoint time) {
    const std::optional<ClaimedBytes> claimed = back_end_.claimed_bytes();
    note(batch, [&](BatchEvents& events) {
      events.computed = time;
      events.when_computed = claimed;
    });
  }

  void issue(std::size_t batch, TimePoint time) {
    const double waited = waited_seconds();
    const std::optional<ClaimedBytes> claimed = back_end_.claimed_bytes();
    const std::optional<double> busy_seconds = busy_until(time);
    note(batch, [&](BatchEvents& events) {
      events.issued = time;
      events.waited_seconds += waited;
      events.when_issued = claimed;
      events.busy_seconds_when_issued = busy_seconds;
    });
  }

  void finish(std::size_t batch, TimePoint time) {
    const std::optional<ClaimedBytes> claimed = back_end_.claimed_bytes();
    const std::optional<double> busy_seconds = busy_until(time);
    note(batch, [&](BatchEvents& events) {
      events.finished = time;
      events.when_finished = claimed;
      events.busy_seconds_when_finished = busy_seconds;
    });
  }

  void end(std::size_t batch, TimePoint time) {
    const std::optional<ClaimedBytes> claimed = back_end_.claimed_bytes();
    note(batch, [&](BatchEvents& events) {
      events.returned = time;
      events.when_returned = claimed;
    });
  }

  [[nodiscard]] std::vector<BatchEvents> finished() const {
    const std::lock_guard lock(mutex_);
    const auto is_open = [](const BatchEvents& events) {
      return events.finished == TimePoint{} || events.returned == TimePoint{};
    };
    return {batches_.begin(), std::find_if(batches_.begin(), batches_.end(), is_open)};
  }

 private:
  [[nodiscard]] double waited_seconds() const { return waited_seconds_ ? waited_seconds_() : 0.0; }
  [[nodiscard]] std::optional<double> busy_until(TimePoint time) const {
    return busy_seconds_ ? busy_seconds_(time) : std::nullopt;
  }

  const std::size_t count_;
  BackEnd& back_end_;
  const BusySeconds busy_seconds_;
  const WaitedSeconds waited_seconds_;
  std::size_t begun_ = 0;  ///< Used only by the front end.
  mutable std::mutex mutex_{};
  std::vector<BatchEvents> batches_{};
};

BatchTimeline::BatchTimeline(std::size_t count, BackEnd& back_end, BusySeconds busy_seconds,
                             WaitedSeconds waited_seconds)
    : back_end_(back_end),
      state_(std::make_shared<State>(count, back_end, std::move(busy_seconds),
                                     std::move(waited_seconds))) {}

void BatchTimeline::on_phase(LoopPhase phase, TimePoint time) {
  if (phase == LoopPhase::kData) state_->begin(time);
  const auto batch = state_->present();
  if (!batch) return;
  switch (phase) {
    case LoopPhase::kWaitBefore:
    case LoopPhase::kData:
      return;
    case LoopPhase::kIssue:
      return state_->note(*batch, [time](BatchEvents& events) { events.made = time; });
    case LoopPhase::kIssueBackward:
      return mark_computed(*batch);
    case LoopPhase::kWaitAfter:
      state_->issue(*batch, time);
      return mark_finished(*batch);
    case LoopPhase::kBatchEnd:
      return state_->end(*batch, time);
  }
}

void BatchTimeline::mark_computed(std::size_t batch) {
  back_end_.mark([state = state_, batch](TimePoint time) { state->compute(batch, time); });
}

void BatchTimeline::mark_finished(std::size_t batch) {
  back_end_.mark([state = state_, batch](TimePoint time) { state->finish(batch, time); });
}

std::vector<BatchEvents> BatchTimeline::finished() const { return state_->finished(); }

}  // namespace runahead::train
