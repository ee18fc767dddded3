#include "core/engine/threaded_engine.h"

#include <chrono>
#include <mutex>
#include <optional>

#include "core/engine/dependencies.h"

namespace runahead::engine {
namespace {

// Unless a thread is waiting, workers read what the pushing threads write at most this often:
// taking pushes in batches costs fewer transfers between CPUs.
constexpr std::chrono::microseconds kLookInterval{1};

}  // namespace

ThreadedEngine::ThreadedEngine(const EngineOptions& options)
    : Engine(options),
      looks_far_ahead_(options.ready_order == ReadyOrder::kFirstReady ||
                       options.observer != nullptr),
      ready_(options.ready_order),
      workers_(options.workers, options.on_worker_start, *this) {}

ThreadedEngine::~ThreadedEngine() {
  const WaitListeners none;
  ReportedWait wait(none, WaitCause::kAll);
  while (in_flight() > 0) in_flight_.wait_pushed(wait);  // A body may push, too.
}

void ThreadedEngine::push(Operation&& operation) {
  require_valid(operation);
  std::optional<LimitNotice> notice;
  {
    ReportedWait wait(listeners_, WaitCause::kLimit);  // Ends after the push lock is released.
    std::unique_lock lock(push_mutex_);
    if (!is_running_here()) notice = gate_.admit({.bytes = operation.cost_bytes}, lock, wait);
    submissions_.reserve();
    make_room_to_be_ready();
    const bool may_overtake = operation.priority != 0 && operation.records == nullptr;
    if (may_overtake) looks_far_ahead_.store(true, std::memory_order_relaxed);
    submissions_.append(*issue(operation));
  }
  workers_.notify();
  if (notice) notify_of(notice);
}

void ThreadedEngine::make_room_to_be_ready() {
  if (!in_flight_.is_above(ready_room_)) return;
  const std::lock_guard lock(tracking_lock_);
  ready_.reserve(2 * (ready_room_ + 1));
  ready_room_ = ready_.capacity() - 1;
}

void ThreadedEngine::work(int worker) noexcept {
  OperationNode* completed = nullptr;
  WorkerThrottle::Account account;
  for (;;) {
    OperationNode* const next = complete_and_take_next(completed, worker, account);
    if (completed != nullptr) retire(*completed, worker);
    if (next == nullptr) return;
    WorkerThrottle::run(account, [&] { run_body(*next, worker); });
    completed = next;
  }
}

OperationNode* ThreadedEngine::complete_and_take_next(OperationNode* completed, int worker,
                                                      WorkerThrottle::Account& account) noexcept {
  OperationNode* next = nullptr;
  std::size_t ready_count = 0;
  {
    const std::lock_guard lock(tracking_lock_);
    // Operations pushed while the completed one ran became ready before those that waited for it.
    if (looks_far_ahead_.load(std::memory_order_relaxed)) take_submissions(worker);
    if (completed != nullptr) {
      OperationList granted;
      complete_operation(*completed, granted);
      while (OperationNode* const node = granted.pop_front()) make_ready(*node, worker);
    }
    const bool stands_back = throttle_.take(account, worker);
    if (!stands_back) {
      if (ready_.empty()) take_submissions(worker);
      next = ready_.pop();
    }
    ready_count = ready_.size();
    ready_count_.store(ready_count, std::memory_order_relaxed);
  }
  if (workers_.is_anyone_to_wake() && (ready_count > 0 || !submissions_.empty())) {
    workers_.notify();
  }
  return next;
}

// Takes all submissions, or only as many as it takes to find a ready one: operations that are
// already ready are older than any submission, and examining an operation shortly before it runs
// keeps it in the caches.
void ThreadedEngine::take_submissions(int worker) noexcept {
  const bool takes_all = looks_far_ahead_.load(std::memory_order_relaxed);
  while (takes_all || ready_.empty()) {
    OperationNode* const node = submissions_.take();
    if (node == nullptr) {
      if (!look_for_submissions()) return;
    } else if (add_operation(*node)) {
      make_ready(*node, worker);
    }
  }
}

bool ThreadedEngine::look_for_submissions() noexcept {
  if (!in_flight_.is_waited_for()) {
    const TimePoint now = Clock::now();
    if (now - last_look_ < kLookInterval) return false;
    last_look_ = now;
  }
  return submissions_.look();
}

void ThreadedEngine::make_ready(OperationNode& node, int worker) noexcept {
  observe_ready(node, worker);
  ready_.push(node);
}

void ThreadedEngine::let_go(OperationNode& node, int worker) noexcept {
  {
    const std::lock_guard lock(tracking_lock_);
    if (--node.missing_grants > 0) return;
    make_ready(node, worker);
    ready_count_.store(ready_.size(), std::memory_order_relaxed);
  }
  workers_.notify();
}

bool ThreadedEngine::has_work() noexcept {
  const std::lock_guard lock(tracking_lock_);
  return !ready_.empty() || !submissions_.empty();
}

bool ThreadedEngine::may_have_work() const noexcept {
  return ready_count_.load(std::memory_order_relaxed) > 0 || !submissions_.empty();
}

Outlook ThreadedEngine::look_out(int worker, bool others_are_at_work) noexcept {
  if (!others_are_at_work) {
    spin_until([this] { return in_flight_.is_waited_for(); }, kLookInterval);
  } else if (throttle_.last_worker() <= worker && throttle_.are_quick(Clock::now())) {
    return Outlook::kQuickWork;
  }
  return may_have_work() ? Outlook::kWork : Outlook::kNoWork;
}

bool ThreadedEngine::is_running_here() const noexcept { return workers_.is_worker_thread(); }

FailurePtr ThreadedEngine::poison_of(Variable& variable) const {
  const std::lock_guard lock(tracking_lock_);
  return tracking_state_of(variable).poison;
}

}  // namespace runahead::engine
