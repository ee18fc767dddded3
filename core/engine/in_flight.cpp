#include "core/engine/in_flight.h"

#include <algorithm>
#include <utility>

#include "core/engine/marker_state.h"
#include "core/engine/spin.h"

namespace runahead::engine {

void InFlight::reserve() {
  const std::uint64_t sequence = next_sequence();
  if (sequence <= room_until_) return;
  const std::lock_guard lock(mutex_);
  // Twice what is needed, so that this is rare however deep the backlog is.
  window_.reserve(sequence + (sequence - window_.oldest()));
  room_until_ = window_.oldest() + window_.capacity() - 1;
}

std::uint64_t InFlight::note_push() noexcept {
  const std::uint64_t sequence = next_sequence();
  if (const TimePoint now = coarse_now(); push_times_.is_due(now)) {
    push_times_.note(sequence, oldest_.load(std::memory_order_relaxed), now);
  }
  pushed_.store(sequence, std::memory_order_release);
  if (is_above(peak_.load(std::memory_order_relaxed))) {
    peak_.store(sequence - finished_seen_, std::memory_order_relaxed);
  }
  return sequence;
}

std::uint64_t InFlight::next_sequence() const noexcept {
  return pushed_.load(std::memory_order_relaxed) + 1;
}

bool InFlight::is_above(std::uint64_t count) noexcept {
  const std::uint64_t pushed = pushed_.load(std::memory_order_relaxed);
  if (pushed - finished_seen_ <= count) return false;
  finished_seen_ = finished_.load(std::memory_order_acquire);
  return pushed - finished_seen_ > count;
}

void InFlight::hold_back(OperationNode& node) {
  const std::lock_guard lock(mutex_);
  if (window_.oldest() == next_sequence()) return;
  held_back_.push_back(&node);
  ++node.missing_grants;
}

OperationList InFlight::finish(std::uint64_t sequence) noexcept {
  std::unique_lock lock(mutex_);
  if (!markers_.empty()) call_back_markers(sequence, lock);
  window_.finish(sequence);
  // Stored first: a thread that sees nothing in flight must not see an older number.
  oldest_.store(window_.oldest(), std::memory_order_release);
  finished_.store(finished_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  if (!markers_.empty()) finish_markers();
  if (!waiters_.empty()) wake_waiters();
  return held_back_.empty() ? OperationList() : take_due();
}

OperationList InFlight::take_due() noexcept {
  OperationList due;
  while (!held_back_.empty() && held_back_.front()->sequence == window_.oldest()) {
    due.push_back(*held_back_.front());
    held_back_.pop_front();
  }
  return due;
}

// Called before the operation is counted, so that no wait for it ends while a callback still runs.
// Only the thread that finishes the oldest operation passes the first test, so callbacks run in
// order.
void InFlight::call_back_markers(std::uint64_t sequence,
                                 std::unique_lock<std::mutex>& lock) noexcept {
  if (sequence != window_.oldest()) return;
  for (std::size_t i = 0; i < markers_.size(); ++i) {
    if (markers_[i].last_sequence >= window_.oldest_after(sequence)) return;
    const std::shared_ptr<MarkerState> state = markers_[i].state;
    lock.unlock();
    state->call_back();
    lock.lock();
  }
}

void InFlight::finish_markers() noexcept {
  while (!markers_.empty() && markers_.front().last_sequence < window_.oldest()) {
    markers_.front().state->finish();
    markers_.pop_front();
  }
}

void InFlight::wake_waiters() noexcept {
  std::erase_if(waiters_, [this](Waiter* waiter) {
    waiter->is_over = is_over(*waiter);
    if (waiter->is_over) waiter->wake.notify_one();
    return waiter->is_over;
  });
}

bool InFlight::is_over(const Waiter& waiter) const noexcept {
  return waiter.is_for_all_before ? are_finished_until(waiter.sequence)
                                  : window_.is_finished(waiter.sequence);
}

bool InFlight::are_finished_until(std::uint64_t sequence) const noexcept {
  return oldest_.load(std::memory_order_acquire) > sequence &&
         finished_.load(std::memory_order_acquire) >= sequence;
}

bool InFlight::is_finished(std::uint64_t sequence) const noexcept {
  if (sequence < oldest_.load(std::memory_order_acquire)) return true;
  const std::lock_guard lock(mutex_);
  return window_.is_finished(sequence);
}

void InFlight::wait_finished(std::uint64_t sequence, ReportedWait& wait) {
  std::uint64_t finished_seen = finished_.load(std::memory_order_acquire);
  if (is_finished(sequence)) return;
  const Waiting waiting(*this);
  const bool is_over = spin_until([&] {
    const std::uint64_t finished = finished_.load(std::memory_order_acquire);
    if (finished == finished_seen) return false;
    finished_seen = finished;
    return is_finished(sequence);
  });
  if (!is_over) sleep_until_over(sequence, false, wait);
}

void InFlight::wait_pushed(ReportedWait& wait) {
  const std::uint64_t last = pushed_.load(std::memory_order_acquire);
  const Waiting waiting(*this);
  if (!spin_until([&] { return are_finished_until(last); })) sleep_until_over(last, true, wait);
}

void InFlight::sleep_until_over(std::uint64_t sequence, bool is_for_all_before,
                                ReportedWait& wait) {
  wait.begin();
  Waiter waiter{.sequence = sequence, .is_for_all_before = is_for_all_before};
  std::unique_lock lock(mutex_);
  if (is_over(waiter)) return;
  waiters_.push_back(&waiter);
  try {
    while (!waiter.is_over) {
      waiter.wake.wait_for(lock, kWaitCheckInterval);
      wait.check(lock);
    }
  } catch (...) {
    std::erase(waiters_, &waiter);
    throw;
  }
}

Marker InFlight::mark(std::function<void(TimePoint)> on_finished) {
  auto state = std::make_shared<MarkerState>(std::move(on_finished));
  const std::uint64_t last_sequence = next_sequence() - 1;
  std::unique_lock lock(mutex_);
  if (last_sequence >= window_.oldest()) {
    markers_.push_back({last_sequence, state});
  } else {
    lock.unlock();
    state->call_back();
    state->finish();
  }
  return Marker(std::move(state));
}

std::uint64_t InFlight::operations() const noexcept {
  for (;;) {
    const std::uint64_t finished = finished_.load(std::memory_order_acquire);
    const std::uint64_t pushed = pushed_.load(std::memory_order_acquire);
    if (finished == finished_.load(std::memory_order_acquire)) return pushed - finished;
  }
}

void InFlight::reset_peak() noexcept { peak_.store(operations(), std::memory_order_relaxed); }

double InFlight::oldest_seconds() const noexcept {
  const std::uint64_t oldest = oldest_.load(std::memory_order_acquire);
  if (oldest > pushed_.load(std::memory_order_acquire)) return 0.0;
  const std::optional<TimePoint> pushed_at = push_times_.of(oldest);
  return pushed_at ? std::max(0.0, seconds_between(*pushed_at, coarse_now())) : 0.0;
}

}  // namespace runahead::engine
