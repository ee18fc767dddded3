#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "core/engine/engine_base.h"

namespace runahead::engine {

/// Runs each operation inside its push: the reference in tests, and the mode for debugging. Bodies
/// never overlap; what a body pushes runs right after it, before the outer push returns. Nothing
/// runs ahead, so the limit holds no push; only `admit` may wait, for another thread's body.
class NaiveEngine final : public EngineBase {
 public:
  explicit NaiveEngine(const EngineOptions& options);

  void push(Operation&& operation) override;

 private:
  [[nodiscard]] bool is_running_here() const noexcept override;
  [[nodiscard]] FailurePtr poison_of(Variable& variable) const override;
  // Operations run in the order of pushes anyway.
  void hold_back(OperationNode&) override {}
  void let_go(OperationNode&, int) noexcept override {}
  /// Takes the lock under which bodies run; `wait` begins if another thread has it.
  [[nodiscard]] std::unique_lock<std::mutex> lock_to_run(ReportedWait& wait) const;
  void enqueue(Operation& operation);
  void run_pending() noexcept;

  mutable std::mutex run_mutex_;  ///< Held by the thread that runs bodies.
  std::atomic<std::thread::id> runner_{};
  OperationList pending_;  ///< Pushed and not yet run; by the running thread only.
};

}  // namespace runahead::engine
