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
  kWork,       ///< There is something to do for it.
  kNoWork,     ///< There is not.
  kQuickWork,  ///< The others go through their work so fast that help would slow them down.
};

/// Where workers find what to do.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// Does all that there is to do, on worker `worker`; may leave it to others that are at work.
  virtual void work(int worker) noexcept = 0;
  /// Whether there is something to do.
  [[nodiscard]] virtual bool has_work() noexcept = 0;
  /// Looks, for a few µs at most, whether there is something to do for `worker`. Called by one idle
  /// worker at a time, again and again.
  [[nodiscard]] virtual Outlook look_out(int worker, bool others_are_at_work) noexcept = 0;
};

/// The worker threads, and when they sleep.
///
/// The worker that became idle last is the lookout: it spins for a moment, and then sleeps until it
/// is notified, as the other idle ones do. (An earlier one may have lost its CPU meanwhile.) Where
/// it sees quick work it naps instead, and looks again by itself: so the others need not spend time
/// on waking it.
class WorkerPool {
 public:
  /// Starts `workers` threads; each runs `on_start` first. `source` must outlive the pool.
  /// @throws what `on_start` threw on any of them, or std::system_error; no thread is left then.
  WorkerPool(int workers, const std::function<void(int)>& on_start, WorkSource& source);

  /// Joins the workers; what is still to be done is left.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Makes sure that somebody looks for work: call it after there is some. Thread-safe.
  void notify() noexcept;

  /// Whether a notification might wake somebody: cheaper to ask than whether there is work. From a
  /// worker at work.
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
