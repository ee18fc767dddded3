#include "core/trace/trace_recorder.h"

namespace runahead::trace {

using engine::OperationEvent;
using engine::WaitEvent;

TraceRecorder::TraceRecorder(int executors, const TraceBounds& bounds)
    : recording_(executors, bounds) {
  for (std::size_t i = 0; i < recording_.executions.size(); ++i) {
    workers_.push_back(std::make_unique<Worker>());
  }
}

bool TraceRecorder::FrontEnd::is_this_thread() const noexcept {
  return thread == std::this_thread::get_id();
}

void TraceRecorder::FrontEnd::become_this_thread() noexcept {
  if (is_this_thread()) return;
  thread = std::this_thread::get_id();
  wait_depth = 0;
}

void TraceRecorder::start() noexcept {
  const std::lock_guard lock(front_end_.mutex);
  if (front_end_.is_closed) return;
  for (const auto& worker : workers_) {
    const std::lock_guard worker_lock(worker->mutex);
    worker->is_recording = true;
    worker->is_executing = false;
  }
  recording_.clear();
  front_end_.is_recording = true;
  front_end_.is_in_batch = front_end_.is_draining = false;
  front_end_.become_this_thread();
  front_end_.wait_depth = 0;
  front_end_.batches_begun = 0;
}

void TraceRecorder::enter(Phase phase, TimePoint time) noexcept {
  const std::lock_guard lock(front_end_.mutex);
  if (!front_end_.is_recording) return;
  front_end_.become_this_thread();
  BatchTimes& batch = front_end_.batch;
  if (phase == Phase::kWaitBefore) {
    batch = {.number = ++front_end_.batches_begun};
    front_end_.is_in_batch = true;
  }
  if (!front_end_.is_in_batch) return;
  const auto position = static_cast<std::size_t>(phase);
  batch.begun[position] = time;
  batch.phases_begun = position + 1;
}

void TraceRecorder::end_batch(TimePoint time) noexcept {
  const std::lock_guard lock(front_end_.mutex);
  if (!front_end_.is_recording || !front_end_.is_in_batch) return;
  front_end_.is_in_batch = false;
  front_end_.batch.ended = time;
  recording_.batches.push(front_end_.batch);
}

void TraceRecorder::begin_drain(TimePoint time) noexcept {
  const std::lock_guard lock(front_end_.mutex);
  if (!front_end_.is_recording) return;
  front_end_.become_this_thread();
  front_end_.is_in_batch = false;
  recording_.drain = {.begun = time, .ended = time};
  front_end_.is_draining = true;
}

void TraceRecorder::on_push(const OperationEvent& event) noexcept {
  const std::lock_guard lock(front_end_.mutex);
  if (!front_end_.is_recording || !front_end_.is_this_thread()) return;
  const std::uint64_t batch = front_end_.is_in_batch ? front_end_.batch.number : 0;
  recording_.issues.push({event.sequence, event.time, batch});
}

void TraceRecorder::on_start(const OperationEvent& event) noexcept {
  Worker& worker = *workers_[index_of(event)];
  const std::lock_guard lock(worker.mutex);
  if (!worker.is_recording) return;
  Execution& execution = worker.execution;
  execution.sequence = event.sequence;
  execution.name = event.name;
  execution.cost_bytes = event.cost_bytes;
  execution.begun = event.time;
  execution.description_length = static_cast<std::uint8_t>(
      event.body == nullptr ? 0 : event.body->describe(execution.description));
  worker.is_executing = true;
}

void TraceRecorder::on_finish(const OperationEvent& event) noexcept {
  const std::size_t index = index_of(event);
  Worker& worker = *workers_[index];
  const std::lock_guard lock(worker.mutex);
  if (!worker.is_recording) return;
  Execution& execution = worker.execution;
  if (event.skipped) {
    execution = {.sequence = event.sequence,
                 .name = event.name,
                 .begun = event.time,
                 .cost_bytes = event.cost_bytes};
  }
  execution.ended = event.time;
  execution.outcome = event.skipped  ? Outcome::kSkipped
                      : event.failed ? Outcome::kFailed
                                     : Outcome::kFinished;
  worker.is_executing = false;
  recording_.executions[index].push(execution);
}

void TraceRecorder::on_wait_begin(const WaitEvent& event) noexcept {
  const std::lock_guard lock(front_end_.mutex);
  if (!front_end_.is_recording) return;
  if (!front_end_.is_this_thread()) {
    ++recording_.waits_of_other_threads;
    return;
  }
  if (++front_end_.wait_depth > 1) return;
  front_end_.wait = {.cause = event.cause, .begun = event.time};
}

void TraceRecorder::on_wait_end(const WaitEvent& event) noexcept {
  const std::lock_guard lock(front_end_.mutex);
  if (!front_end_.is_recording || !front_end_.is_this_thread()) return;
  if (front_end_.wait_depth == 0 || --front_end_.wait_depth > 0) return;
  front_end_.wait.ended = event.time;
  recording_.waits.push(front_end_.wait);
}

const Recording& TraceRecorder::close() noexcept {
  close_front_end();
  for (std::size_t i = 0; i < workers_.size(); ++i) close_worker(i);
  return recording_;
}

void TraceRecorder::close_front_end() noexcept {
  const std::lock_guard lock(front_end_.mutex);
  front_end_.is_closed = true;
  if (!front_end_.is_recording) return;
  front_end_.is_recording = false;
  const TimePoint now = Clock::now();
  if (front_end_.wait_depth > 0) {
    front_end_.wait.ended = now;
    recording_.waits.push(front_end_.wait);
  }
  if (front_end_.is_in_batch) {
    front_end_.batch.ended = now;
    recording_.batches.push(front_end_.batch);
  }
  if (front_end_.is_draining) recording_.drain->ended = now;
}

void TraceRecorder::close_worker(std::size_t index) noexcept {
  Worker& worker = *workers_[index];
  const std::lock_guard lock(worker.mutex);
  if (!worker.is_recording) return;
  worker.is_recording = false;
  if (!worker.is_executing) return;
  worker.execution.ended = Clock::now();
  worker.execution.outcome = Outcome::kUnfinished;
  recording_.executions[index].push(worker.execution);
}

// The naive engine has no workers; operations run by a pushing thread go to the first list.
std::size_t TraceRecorder::index_of(const OperationEvent& event) const noexcept {
  return event.worker < 0 ? 0 : static_cast<std::size_t>(event.worker) % workers_.size();
}

}  // namespace runahead::trace
