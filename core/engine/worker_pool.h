#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace runahead::engine {

/// What an idle worker sees.
enum class Outlook {
  kWork,       ///< There is work for it.
  kNoWork,     ///< There is none.
  kQuickWork,  ///< The others go through their work so fast that help would slow them down.
};

/// Supplies a pool with work.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// Does all available work on worker `worker`; may leave it to other workers.
  virtual void work(int worker) noexcept = 0;
  /// Whether there is work.
  [[nodiscard]] virtual bool has_work() noexcept = 0;
  /// Looks for work for `worker`, for a few µs at most. Called repeatedly, by one idle worker at a
  /// time.
  [[nodiscard]] virtual Outlook look_out(int worker, bool others_are_at_work) noexcept = 0;
};

/// Owns the worker threads and decides when they sleep.
///
/// The worker that became idle last is the lookout (an earlier one may have lost its CPU): it spins
/// briefly and then, like the other idle workers, sleeps until notified. If it sees quick work, it
/// naps instead and checks again by itself, so that the others spend no time waking it.
class WorkerPool {
 public:
  /// Starts `workers` threads; each runs `on_start` first. `source` must outlive the pool.
  /// @throws what `on_start` threw on any of them, or std::system_error; no thread remains then.
  WorkerPool(int workers, const std::function<void(int)>& on_start, WorkSource& source);

  /// Joins the workers; leaves remaining work undone.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Makes sure that a worker looks for work. Call it after adding work. Thread-safe.
  void notify() noexcept;

  /// Whether a notification might wake a worker. Cheaper than checking whether there is work.
  /// Called by a running worker.
  [[nodiscard]] bool is_anyone_to_wake() const noexcept {
    return sleeping_.load() > 0 && !is_napping_.load();
  }

  /// Whether the calling thread is one of these workers.
  [[nodiscard]] bool is_worker_thread() const noexcept;

 private:
  static constexpr int kNobody = -1;

  void start(int workers, const std::function<void(int)>& on_start);
  void run(int worker, const std::function<void(int)>& on_start);
  void wait_for_work(int worker);
  [[nodiscard]] Outlook keep_lookout(int worker, std::chrono::microseconds longest);
  void nap();
  void sleep_until_notified();
  [[nodiscard]] bool may_sleep();
  void stop() noexcept;

  WorkSource& source_;
  // Written whenever work pauses; on a separate cache line from what notify() reads first.
  alignas(64) std::atomic<int> at_work_{0};  ///< Workers in WorkSource::work().
  std::atomic<int> lookout_{kNobody};        ///< The spinning worker, which will see new work.

  alignas(64) std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_napping_{false};  ///< A worker is napping.
  std::atomic<int> sleeping_{0};         ///< Workers waiting on wake_; changed under mutex_.
  std::atomic<bool> is_waking_{false};   ///< A sleeper was notified and has not run yet.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable started_;
  int started_count_ = 0;
  std::exception_ptr start_error_;
  std::vector<std::thread> threads_;
};

}  // namespace runahead::engine
