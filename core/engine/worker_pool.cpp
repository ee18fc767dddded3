#include "core/engine/worker_pool.h"

#include <utility>

#include "core/engine/spin.h"

namespace runahead::engine {
namespace {

constexpr std::chrono::microseconds kNapTime{250};

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
  at_work_.fetch_add(1);
  while (!is_stopping_.load()) {
    source_.work(worker);
    at_work_.fetch_sub(1);
    wait_for_work(worker);
  }
}

void WorkerPool::wait_for_work(int worker) {
  lookout_.store(worker);
  std::chrono::microseconds longest_spin = kSpinTime;
  while (!is_stopping_.load()) {
    const Outlook outlook = keep_lookout(worker, longest_spin);
    if (outlook == Outlook::kWork) return;
    if (outlook == Outlook::kQuickWork && !is_napping_.exchange(true)) {
      nap();
      is_napping_.store(false);
      longest_spin = {};
    } else {
      sleep_until_notified();
      longest_spin = kSpinTime;
    }
    int expected = kNobody;
    lookout_.compare_exchange_strong(expected, worker);
  }
}

Outlook WorkerPool::keep_lookout(int worker, std::chrono::microseconds longest) {
  Outlook outlook = Outlook::kNoWork;
  const auto is_over = [&] {
    if (lookout_.load() != worker) {
      const bool is_quick = source_.look_out(worker, true) == Outlook::kQuickWork;
      outlook = is_quick ? Outlook::kQuickWork : Outlook::kNoWork;
      return true;
    }
    // The thread that will add work may have no other CPU to run on.
    std::this_thread::yield();
    outlook = source_.look_out(worker, at_work_.load() > 0);
    return outlook != Outlook::kNoWork;
  };
  spin_until(is_over, longest);
  // Counted as working before it stops being the lookout: the next lookout must see one of the two.
  if (outlook == Outlook::kWork) at_work_.fetch_add(1);
  int self = worker;
  lookout_.compare_exchange_strong(self, kNobody);
  return outlook;
}

void WorkerPool::nap() {
  std::unique_lock lock(mutex_);
  if (is_stopping_.load()) return;
  sleeping_.fetch_add(1);
  if (at_work_.load() > 0 || lookout_.load() != kNobody) wake_.wait_for(lock, kNapTime);
  is_waking_.store(false);
  sleeping_.fetch_sub(1);
}

void WorkerPool::sleep_until_notified() {
  std::unique_lock lock(mutex_);
  sleeping_.fetch_add(1);
  while (may_sleep()) {
    wake_.wait(lock);
    is_waking_.store(false);
  }
  sleeping_.fetch_sub(1);
}

bool WorkerPool::may_sleep() {
  if (is_stopping_.load()) return false;
  const bool is_lookout_kept =
      lookout_.load() != kNobody || (is_napping_.load() && at_work_.load() > 0);
  return is_lookout_kept || !source_.has_work();
}

// A thread adds work before it reads these flags, and a worker that stops spinning or waking clears
// its flag before it looks for work: one of the two sees the other.
void WorkerPool::notify() noexcept {
  if (sleeping_.load() == 0 || is_waking_.load() || lookout_.load() != kNobody) return;
  if (is_napping_.load() && at_work_.load() > 0) return;
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
