#pragma once

#include <atomic>
#include <cstddef>

#include "core/engine/engine.h"
#include "core/engine/ready_queue.h"
#include "core/engine/spin.h"
#include "core/engine/submission_queue.h"
#include "core/engine/worker_pool.h"
#include "core/engine/worker_throttle.h"

namespace runahead::engine {

/// Runs operations on worker threads. A push only appends to the submission queue; the workers
/// determine between bodies what is ready. Pushes are therefore cheap, and the hazard state stays
/// in the workers' caches.
class ThreadedEngine final : public Engine, private WorkSource {
 public:
  /// @throws what options.on_worker_start throws.
  explicit ThreadedEngine(const EngineOptions& options);
  ~ThreadedEngine() override;

  void push(Operation&& operation) override;

 private:
  [[nodiscard]] bool is_running_here() const noexcept override;
  [[nodiscard]] FailurePtr poison_of(Variable& variable) const override;

  void work(int worker) noexcept override;
  [[nodiscard]] bool has_work() noexcept override;
  [[nodiscard]] bool may_have_work() const noexcept;
  [[nodiscard]] Outlook look_out(int worker, bool others_are_at_work) noexcept override;

  void hold_back(OperationNode& node) override { in_flight_.hold_back(node); }
  void let_go(OperationNode& node, int worker) noexcept override;

  void make_room_to_be_ready();
  void take_submissions(int worker) noexcept;
  [[nodiscard]] bool look_for_submissions() noexcept;
  OperationNode* complete_and_take_next(OperationNode* completed, int worker,
                                        WorkerThrottle::Account& account) noexcept;
  void make_ready(OperationNode& node, int worker) noexcept;

  SubmissionQueue submissions_;
  std::size_t ready_room_ = 0;  ///< Capacity of ready_ in operations. Push lock.
  /// Whether a later submission may have to run before an operation that is already ready, or an
  /// observer must be notified immediately when operations become ready.
  std::atomic<bool> looks_far_ahead_;

  // The tracking lock, and what it guards besides the variables.
  alignas(64) mutable SpinLock tracking_lock_;
  ReadyQueue ready_;
  TimePoint last_look_{};                    ///< When submissions_ was last checked.
  std::atomic<std::size_t> ready_count_{0};  ///< Size of ready_, readable without the lock.

  WorkerThrottle throttle_;

  WorkerPool workers_;  // Last: its threads use all of the above.
};

}  // namespace runahead::engine
