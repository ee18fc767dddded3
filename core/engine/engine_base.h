#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "core/engine/engine.h"
#include "core/engine/failure.h"
#include "core/engine/in_flight.h"
#include "core/engine/operation_node.h"
#include "core/engine/operation_pool.h"
#include "core/engine/reported_wait.h"
#include "core/engine/run_ahead_gate.h"

namespace runahead::engine {

/// The part that both engines share: everything except which thread runs an operation, and when.
///
/// Lock order: the push lock (order of pushes, limit) or the worker pool's lock (sleeping workers);
/// then the tracking lock (hazards, poison); then the locks inside InFlight, the operation pool and
/// the failure log. Bodies, user destructors and marker callbacks run without any of them.
class EngineBase : public Engine {
 public:
  void admit(std::uint64_t bytes) final;
  void keep(const VariablePtr& variable) final;
  [[nodiscard]] std::uint64_t committed_bytes() const noexcept final;
  void wait_for(const VariablePtr& variable) final;
  [[nodiscard]] bool is_settled(const VariablePtr& variable) const final;
  void wait_all() final;
  Marker mark(std::function<void(TimePoint)> on_finished) final;

  [[nodiscard]] std::uint64_t in_flight() const noexcept final;
  [[nodiscard]] std::uint64_t bytes_in_flight() const noexcept final;
  [[nodiscard]] std::uint64_t bookkeeping_bytes() const noexcept final;
  [[nodiscard]] std::uint64_t in_flight_peak() const noexcept final;
  void reset_peaks() noexcept final;
  [[nodiscard]] double oldest_seconds() const noexcept final;
  void set_default_stream(Stream& stream) final;
  void report_failure() final;
  void drop_queued() noexcept final;
  void set_limit(const RunAheadLimit& limit) final;
  [[nodiscard]] RunAheadLimit limit() const final;

 protected:
  explicit EngineBase(const EngineOptions& options);

  /// Keeps `node`, which is about to be pushed, from becoming ready until everything pushed before
  /// it has finished. Requires the push lock. @throws std::bad_alloc.
  virtual void hold_back(OperationNode& node) = 0;
  /// Releases a node held by hold_back().
  virtual void let_go(OperationNode& node, int worker) noexcept = 0;
  /// The failure that poisons `variable`, or null.
  [[nodiscard]] virtual FailurePtr poison_of(Variable& variable) const = 0;

  /// Turns `operation` into a node, which counts as in flight from then on. Requires the push lock.
  /// @throws std::bad_alloc, without effect.
  [[nodiscard]] OperationNode* issue(Operation& operation);

  /// Runs the body, or skips it if the node has inherited a failure; destroys it in either case.
  void run_body(OperationNode& node, int worker) noexcept;

  /// Drops the references of a completed node, then counts it as finished and recycles it. Runs
  /// user destructors: the caller must hold no lock.
  void retire(OperationNode& node, int worker) noexcept;

  void observe_ready(const OperationNode& node, int worker) noexcept;

  /// Passes the notice of an admission, if any, to the handler. The caller must hold no lock.
  void notify_of(const std::optional<LimitNotice>& notice) const noexcept;

  mutable std::mutex push_mutex_;
  InFlight in_flight_;
  RunAheadGate gate_;
  const WaitListeners listeners_;

 private:
  [[nodiscard]] OperationEvent event_of(const OperationNode& node, int worker) const noexcept;
  void return_spare_slabs() noexcept;
  void hold_back_event(OperationNode& node);
  [[nodiscard]] std::uint64_t last_write_of(const VariablePtr& variable) const;

  OperationPool pool_;
  Ledger* const ledger_;  ///< May be null.
  const LimitNoticeHandler on_limit_notice_;
  // The next three are guarded by the push lock.
  std::uint64_t ledger_room_ = 0;  ///< The ledger has room up to this sequence number.
  Stream* default_stream_ = nullptr;
  bool has_operations_without_stream_ = true;  ///< Not covered by an event of the default stream.
  FailureLog failures_;
  const FailurePtr dropped_;  ///< The failure of the operations that drop_queued skips.
  std::atomic<bool> drops_queued_{false};
  Observer* observer_;
};

/// @throws UsageError if the body is empty or a variable is null.
void require_valid(const Operation& operation);

}  // namespace runahead::engine
