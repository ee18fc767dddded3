#include "core/engine/threaded_engine.h"

#include <mutex>

#include "core/engine/dependencies.h"

namespace runahead::engine {

ThreadedEngine::ThreadedEngine(const EngineOptions& options)
    : EngineBase(options),
      ready_(options.ready_order),
      workers_(options.workers, options.on_worker_start, *this) {}

ThreadedEngine::~ThreadedEngine() { in_flight_.wait_idle(); }

void ThreadedEngine::push(Operation operation) {
  require_valid(operation);
  {
    std::unique_lock lock(push_mutex_);
    if (!is_running_here()) gate_.admit(operation.cost_bytes, lock);
    submissions_.reserve();
    make_room_to_be_ready();
    submissions_.append(*issue(operation));
  }
  workers_.notify();
}

void ThreadedEngine::make_room_to_be_ready() {
  if (!in_flight_.is_above(ready_room_)) return;
  const std::lock_guard lock(tracking_lock_);
  ready_.reserve(2 * (ready_room_ + 1));
  ready_room_ = ready_.capacity() - 1;
}

void ThreadedEngine::work(int worker) noexcept {
  OperationNode* completed = nullptr;
  for (;;) {
    OperationNode* const next = complete_and_take_next(completed, worker);
    if (completed != nullptr) retire(*completed);
    if (next == nullptr) return;
    run_body(*next, worker);
    completed = next;
  }
}

OperationNode* ThreadedEngine::complete_and_take_next(OperationNode* completed,
                                                      int worker) noexcept {
  OperationNode* next = nullptr;
  std::size_t ready_count = 0;
  {
    const std::lock_guard lock(tracking_lock_);
    // What was pushed while the completed operation ran became ready before what waited for it.
    while (OperationNode* const node = submissions_.take()) {
      if (add_operation(*node)) make_ready(*node, worker);
    }
    if (completed != nullptr) {
      OperationList granted;
      complete_operation(*completed, granted);
      while (OperationNode* const node = granted.pop_front()) make_ready(*node, worker);
    }
    next = ready_.pop();
    ready_count = ready_.size();
    ready_count_.store(ready_count, std::memory_order_relaxed);
  }
  if (ready_count > 0) workers_.notify();
  return next;
}

void ThreadedEngine::make_ready(OperationNode& node, int worker) noexcept {
  observe_ready(node, worker);
  ready_.push(node);
}

bool ThreadedEngine::has_work() noexcept {
  const std::lock_guard lock(tracking_lock_);
  return !ready_.empty() || !submissions_.empty();
}

bool ThreadedEngine::may_have_work() const noexcept {
  return ready_count_.load(std::memory_order_relaxed) > 0 || !submissions_.empty();
}

bool ThreadedEngine::is_running_here() const noexcept { return workers_.is_worker_thread(); }

FailurePtr ThreadedEngine::poison_of(Variable& variable) const {
  const std::lock_guard lock(tracking_lock_);
  return state_of(variable).poison;
}

}  // namespace runahead::engine
