#include "core/engine/naive_engine.h"

#include "core/engine/dependencies.h"

namespace runahead::engine {

NaiveEngine::NaiveEngine(const EngineOptions& options) : Engine(options) {}

void NaiveEngine::push(Operation&& operation) {
  require_valid(operation);
  if (is_running_here()) {
    enqueue(operation);
    return;
  }
  ReportedWait wait(listeners_, WaitCause::kTurn);
  const std::unique_lock lock = lock_to_run(wait);
  runner_.store(std::this_thread::get_id());
  try {
    enqueue(operation);
  } catch (...) {
    runner_.store(std::thread::id());
    throw;
  }
  run_pending();
  runner_.store(std::thread::id());
}

void NaiveEngine::enqueue(Operation& operation) {
  const std::lock_guard lock(push_mutex_);
  pending_.push_back(*issue(operation));
}

void NaiveEngine::run_pending() noexcept {
  while (OperationNode* const node = pending_.pop_front()) {
    // Everything before it has completed, so it is ready.
    static_cast<void>(add_operation(*node));
    observe_ready(*node, -1);
    run_body(*node, -1);
    OperationList none;
    complete_operation(*node, none);
    retire(*node, -1);
  }
}

std::unique_lock<std::mutex> NaiveEngine::lock_to_run(ReportedWait& wait) const {
  std::unique_lock lock(run_mutex_, std::try_to_lock);
  if (lock) return lock;
  wait.begin();
  lock.lock();
  return lock;
}

bool NaiveEngine::is_running_here() const noexcept {
  return runner_.load() == std::this_thread::get_id();
}

FailurePtr NaiveEngine::poison_of(Variable& variable) const {
  if (is_running_here()) return tracking_state_of(variable).poison;
  ReportedWait wait(listeners_, WaitCause::kTurn);
  const std::unique_lock lock = lock_to_run(wait);
  return tracking_state_of(variable).poison;
}

}  // namespace runahead::engine
