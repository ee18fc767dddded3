#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/engine/device_settings.h"
#include "core/engine/failure.h"
#include "core/engine/in_flight.h"
#include "core/engine/ledger.h"
#include "core/engine/marker.h"
#include "core/engine/observer.h"
#include "core/engine/operation.h"
#include "core/engine/operation_error.h"
#include "core/engine/operation_node.h"
#include "core/engine/operation_pool.h"
#include "core/engine/reported_wait.h"
#include "core/engine/run_ahead_gate.h"
#include "core/engine/run_ahead_limit.h"
#include "core/engine/stream.h"
#include "core/engine/wait_hooks.h"

namespace runahead::engine {

struct EngineOptions {
  /// Worker threads, 0 to 256. 0 selects the naive engine, which runs each body inside push.
  int workers = 1;
  ReadyOrder ready_order = ReadyOrder::kOldestFirst;
  RunAheadLimit limit{};
  /// Counts committed bytes. Required when limit.bytes is set; must outlive the engine.
  Ledger* ledger = nullptr;
  Observer* observer = nullptr;  ///< May be null; must outlive the engine.
  WaitHooks wait_hooks{};        ///< Called around every wait, including pushes held at the limit.
  /// Runs first on every worker, with its index (for pinning, thread counts, names). May be empty.
  /// make_engine rethrows its exceptions.
  std::function<void(int worker)> on_worker_start{};
  LimitNoticeHandler on_limit_notice{};
  /// The text of a body's exception for an OperationError; null: std::exception::what.
  std::string (*describe_error)(const std::exception_ptr& error) = nullptr;
};

/// Runs operations in an order that respects their reads and writes. All members are thread-safe.
///
/// Hazards (read after write, write after read, write after write) are ordered per variable in the
/// order of pushes; nothing else is ordered.
///
/// Errors: an exception poisons the variables that its operation writes. Operations that read or
/// change a poisoned variable are skipped and propagate the poison. Every `wait_for` on a poisoned
/// variable rethrows until an operation overwrites the whole variable. `wait_all` reports each
/// error once.
///
/// What waits, also a push or an admission at the limit, throws what WaitHooks::check throws. Then
/// nothing was pushed or admitted.
class Engine {
 public:
  /// Waits for the operations in flight, drops unreported errors, joins the workers; never throws.
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Takes ownership of `operation` and schedules it. Returns immediately, or blocks while the
  /// run-ahead limit is reached. A push from a worker thread is never held. An operation that alone
  /// exceeds the byte limit is admitted once nothing else is in flight; one that allocates nothing
  /// is admitted regardless of the committed bytes.
  /// @throws UsageError if the body is empty or a variable is null.
  virtual void push(Operation&& operation) = 0;

  /// Commits bytes that the caller itself is about to allocate, permanently or for an operation
  /// that it will push. Like push, returns immediately or blocks while the limit does not admit
  /// them; never blocks on a worker thread. Does nothing without a ledger.
  void admit(std::uint64_t bytes);

  /// Makes the ledger's forecast treat `variable` as if the most recently pushed operation named
  /// it. For callers that hold the variable until that operation has finished.
  void keep(const VariablePtr& variable);

  /// The ledger's committed bytes; 0 without a ledger.
  [[nodiscard]] std::uint64_t committed_bytes() const noexcept;

  /// Blocks until every operation pushed so far that writes `variable` has finished.
  /// @throws OperationError if the variable is poisoned, on every call until it is overwritten.
  /// @throws UsageError if `variable` is null, or if the call would block inside a body.
  void wait_for(const VariablePtr& variable);

  /// Blocks until `marker` is finished, which may be another engine's. Errors stay with their
  /// variables. @throws UsageError if the call would block inside a body.
  void wait_for(const Marker& marker);

  /// Blocks until every operation pushed before the call has finished.
  /// @throws OperationError for the earliest error that no wait has reported; the next call throws
  /// the next one.
  /// @throws UsageError inside a body.
  void wait_all();

  /// Whether the calling thread is running a body of this engine.
  [[nodiscard]] virtual bool is_running_here() const noexcept = 0;

  /// Reports errors as wait_all does, without waiting. @throws OperationError as wait_all does.
  void report_failure();

  /// Skips the operations that have not begun, and those pushed from now on: they fail, which
  /// counts as reported. For a program that ends and needs their results no longer.
  void drop_queued() noexcept;

  /// Marks the current position in the order of pushes. `on_finished`, if given, runs once, on the
  /// thread that finishes the last operation before the mark (or inside this call if nothing is in
  /// flight). It must be quick and must not call the engine.
  Marker mark(std::function<void(TimePoint)> on_finished = {});

  /// Assigns the operations that name no stream, including those in flight, to `stream`, which must
  /// outlive the engine. Call it before the first operation on another stream. Until this call, an
  /// event of the default stream covers every operation pushed so far, at no cost to them. May
  /// block at the run-ahead limit.
  void set_default_stream(Stream& stream);

  [[nodiscard]] std::uint64_t in_flight() const noexcept;       ///< Operations.
  [[nodiscard]] std::uint64_t in_flight_peak() const noexcept;  ///< Since reset_peaks.
  void reset_peaks() noexcept;
  /// Bytes of the operation objects themselves, in flight or kept for reuse, excluding heap memory
  /// owned by their bodies.
  [[nodiscard]] std::uint64_t bookkeeping_bytes() const noexcept;
  /// Age of the oldest operation in flight in seconds, accurate to about 4 ms; 0 if there is none.
  [[nodiscard]] double oldest_seconds() const noexcept;

  /// Takes effect immediately, also for held pushes. @throws UsageError if it is out of range.
  void set_limit(const RunAheadLimit& limit);
  [[nodiscard]] RunAheadLimit limit() const;

 protected:
  // What the subclasses share: everything except which thread runs an operation, and when.
  //
  // Lock order: the push lock (order of pushes, limit) or the worker pool's lock (sleeping
  // workers); then the tracking lock (hazards, poison); then the locks inside InFlight, the
  // operation pool and the failure log. Bodies, user destructors and marker callbacks run without
  // any of them.

  explicit Engine(const EngineOptions& options);

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

/// Returns the naive engine if `options.workers` is 0, otherwise the threaded one.
/// @throws UsageError if an option is out of range.
[[nodiscard]] std::unique_ptr<Engine> make_engine(const EngineOptions& options);

}  // namespace runahead::engine
