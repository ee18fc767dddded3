#include "core/engine/marker.h"

#include <utility>

#include "core/engine/marker_state.h"
#include "core/engine/spin.h"
#include "core/engine/wait_hooks.h"

namespace runahead::engine {

bool Marker::is_finished() const noexcept { return state_ == nullptr || state_->is_finished(); }

void Marker::wait(void (*check)()) const {
  if (state_ == nullptr) return;
  while (!state_->wait_for(kWaitCheckInterval)) {
    if (check != nullptr) check();
  }
}

MarkerState::MarkerState(std::function<void(TimePoint)> on_finished)
    : on_finished_(std::move(on_finished)) {}

void MarkerState::call_back() noexcept {
  if (!on_finished_) return;
  on_finished_(Clock::now());
  on_finished_ = nullptr;
}

void MarkerState::finish() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_finished_.store(true);
  }
  finished_.notify_all();
}

bool MarkerState::wait_for(std::chrono::milliseconds longest) const {
  if (spin_until([this] { return is_finished(); })) return true;
  std::unique_lock lock(mutex_);
  return finished_.wait_for(lock, longest, [this] { return is_finished(); });
}

}  // namespace runahead::engine
