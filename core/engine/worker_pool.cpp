#include "core/engine/worker_pool.h"

#include <utility>

#include "core/engine/spin.h"

namespace runahead::engine {
namespace {

thread_local const WorkerPool* pool_of_this_thread = nullptr;

}  // namespace

WorkerPool::WorkerPool(int workers, const std::function<void(int)>& on_start, WorkSource& source)
    : source_(source) {
  try {
    start(workers, on_start);
  } catch (...) {
    stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::start(int workers, const std::function<void(int)>& on_start) {
  threads_.reserve(static_cast<std::size_t>(workers));
  for (int worker = 0; worker < workers; ++worker) {
    threads_.emplace_back([this, worker, on_start] { run(worker, on_start); });
  }
  std::unique_lock lock(mutex_);
  started_.wait(lock, [&] { return started_count_ == workers; });
  if (start_error_ != nullptr) std::rethrow_exception(start_error_);
}

void WorkerPool::run(int worker, const std::function<void(int)>& on_start) {
  pool_of_this_thread = this;
  std::exception_ptr error;
  try {
    if (on_start) on_start(worker);
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    ++started_count_;
    if (error != nullptr) start_error_ = std::move(error);
  }
  started_.notify_one();
  while (!is_stopping_.load()) {
    source_.work(worker);
    if (!spin_for_work()) sleep_until_notified();
  }
}

bool WorkerPool::spin_for_work() {
  if (is_spinning_.exchange(true)) return false;
  const bool found = spin_until([this] { return source_.may_have_work() || is_stopping_.load(); });
  is_spinning_.store(false);
  return found;
}

void WorkerPool::sleep_until_notified() {
  std::unique_lock lock(mutex_);
  sleeping_.fetch_add(1);
  while (!is_stopping_.load() && !source_.has_work()) {
    wake_.wait(lock);
    is_waking_.store(false);
  }
  sleeping_.fetch_sub(1);
}

// Whoever adds work does so before it reads these flags, and whoever stops spinning or waking
// clears its flag before it looks for work: one of the two sees the other.
void WorkerPool::notify() noexcept {
  if (sleeping_.load() == 0 || is_spinning_.load() || is_waking_.load()) return;
  if (is_waking_.exchange(true)) return;
  {
    const std::lock_guard lock(mutex_);
    if (sleeping_.load() == 0) {
      is_waking_.store(false);
      return;
    }
  }
  wake_.notify_one();
}

bool WorkerPool::is_worker_thread() const noexcept { return pool_of_this_thread == this; }

void WorkerPool::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_.store(true);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace runahead::engine
