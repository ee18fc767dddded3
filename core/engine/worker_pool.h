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

/// The work of a pool.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// Does all the work there is, on worker `worker`; may leave it to other workers.
  virtual void work(int worker) noexcept = 0;
  /// Whether there is work.
  [[nodiscard]] virtual bool has_work() noexcept = 0;
  /// Looks for work for `worker`, for a few µs at most. Called repeatedly, by one idle worker at a
  /// time.
  [[nodiscard]] virtual Outlook look_out(int worker, bool others_are_at_work) noexcept = 0;
};

/// The worker threads, and when they sleep.
///
/// The worker that became idle last is the lookout: it spins for a moment and then, as the other
/// idle workers do, sleeps until it is notified. (An earlier one may have lost its CPU.) If it sees
/// quick work, it naps instead and looks again by itself, so that the others spend no time on
/// waking it.
class WorkerPool {
 public:
  /// Starts `workers` threads; each runs `on_start` first. `source` must outlive the pool.
  /// @throws what `on_start` threw on any of them, or std::system_error; no thread is left then.
  WorkerPool(int workers, const std::function<void(int)>& on_start, WorkSource& source);

  /// Joins the workers; leaves remaining work undone.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Makes sure that a worker looks for work. Call it after adding work. Thread-safe.
  void notify() noexcept;

  /// Whether a notification might wake a worker: cheaper than asking whether there is work. Called
  /// by a worker that is running.
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
  // Changed at every pause of the work, apart from what notify() looks at first.
  alignas(64) std::atomic<int> at_work_{0};  ///< Workers in WorkSource::work().
  std::atomic<int> lookout_{kNobody};        ///< The worker that spins: it will see new work.

  alignas(64) std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_napping_{false};  ///< A worker naps.
  std::atomic<int> sleeping_{0};         ///< Workers that wait for wake_; changed under mutex_.
  std::atomic<bool> is_waking_{false};   ///< A sleeper was notified and has not looked yet.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable started_;
  int started_count_ = 0;
  std::exception_ptr start_error_;
  std::vector<std::thread> threads_;
};

}  // namespace runahead::engine
