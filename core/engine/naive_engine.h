#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "core/engine/engine.h"

namespace runahead::engine {

/// Runs each operation inside its push: a reference for tests and a mode for debugging. Bodies
/// never overlap; operations pushed by a body run right after it, before the outer push returns.
/// Nothing runs ahead, so the limit never holds a push; only `admit` may block, waiting for another
/// thread's body.
class NaiveEngine final : public Engine {
 public:
  explicit NaiveEngine(const EngineOptions& options);

  void push(Operation&& operation) override;

 private:
  [[nodiscard]] bool is_running_here() const noexcept override;
  [[nodiscard]] FailurePtr poison_of(Variable& variable) const override;
  // Operations run in the order of pushes anyway.
  void hold_back(OperationNode&) override {}
  void let_go(OperationNode&, int) noexcept override {}
  /// Acquires the lock under which bodies run; begins `wait` if another thread holds it.
  [[nodiscard]] std::unique_lock<std::mutex> lock_to_run(ReportedWait& wait) const;
  void enqueue(Operation& operation);
  void run_pending() noexcept;

  mutable std::mutex run_mutex_;  ///< Held by the thread that runs bodies.
  std::atomic<std::thread::id> runner_{};
  OperationList pending_;  ///< Pushed but not yet run; used only by the running thread.
};

}  // namespace runahead::engine
