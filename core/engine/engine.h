#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/engine/ledger.h"
#include "core/engine/marker.h"
#include "core/engine/observer.h"
#include "core/engine/operation.h"
#include "core/engine/operation_error.h"
#include "core/engine/ready_order.h"
#include "core/engine/run_ahead_limit.h"
#include "core/engine/stream.h"
#include "core/engine/wait_hooks.h"

namespace runahead::engine {

struct EngineOptions {
  int workers =
      1;  ///< Worker threads, 0 to 256. 0: the naive engine, which runs the body inside push.
  ReadyOrder ready_order = ReadyOrder::kOldestFirst;
  RunAheadLimit limit{};
  /// Counts committed bytes. Required when limit.bytes is set; must outlive the engine.
  Ledger* ledger = nullptr;
  Observer* observer = nullptr;  ///< May be null; must outlive the engine.
  WaitHooks wait_hooks{};        ///< Around every wait, pushes held at the limit included.
  /// Runs first on every worker, with its index (pinning, thread counts, names). May be empty.
  /// make_engine rethrows what it throws.
  std::function<void(int worker)> on_worker_start{};
  LimitNoticeHandler on_limit_notice{};
};

/// Runs operations in an order that respects their reads and writes. All members are thread-safe.
///
/// Hazards (read after write, write after read, write after write) are ordered per variable in the
/// order of pushes; nothing else is ordered.
///
/// Errors: the first exception poisons the variables that its operation writes; operations that
/// read or change a poisoned variable are skipped and pass the poison on; every `wait_for` on a
/// poisoned variable rethrows, until an operation overwrites it whole; `wait_all` reports each
/// error once.
class Engine {
 public:
  /// Waits for what is in flight, drops unreported errors, joins the workers; never throws.
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Schedules `operation`, which it takes over; returns at once, or blocks while the run-ahead
  /// limit is reached. A push from a worker's own thread is never held. An operation that alone
  /// exceeds the bytes is admitted when nothing else is in flight; one that allocates nothing,
  /// whatever is committed.
  /// @throws UsageError if the body is empty or a variable is null.
  virtual void push(Operation&& operation) = 0;

  /// Commits bytes that the caller is about to allocate itself, for an operation that it will push
  /// or permanently. Returns at once, or blocks while the limit does not admit them, as a push
  /// does; never blocks on a worker's own thread. Does nothing without a ledger.
  virtual void admit(std::uint64_t bytes) = 0;

  /// Makes the ledger's forecast treat `variable` as named by the operation pushed last. For a
  /// caller that keeps the variable until that operation has finished.
  virtual void keep(const VariablePtr& variable) = 0;

  /// From the ledger; 0 without one.
  [[nodiscard]] virtual std::uint64_t committed_bytes() const noexcept = 0;

  /// Blocks until every operation pushed so far that writes `variable` has finished.
  /// @throws OperationError if the variable is poisoned; every time, until it is overwritten.
  /// @throws UsageError if `variable` is null, or if it would have to block inside a body.
  virtual void wait_for(const VariablePtr& variable) = 0;

  /// Whether a wait_for would return (or throw) at once. Never blocks.
  [[nodiscard]] virtual bool is_settled(const VariablePtr& variable) const = 0;

  /// Blocks until every operation pushed before the call has finished.
  /// @throws OperationError for the earliest error that no wait has reported; the next call throws
  /// the next one.
  /// @throws UsageError inside a body.
  virtual void wait_all() = 0;

  /// Whether the calling thread is running a body of this engine.
  [[nodiscard]] virtual bool is_running_here() const noexcept = 0;

  /// Waits for nothing. @throws OperationError as wait_all does.
  virtual void report_failure() = 0;

  /// Marks the present end of the order of pushes. `on_finished`, if given, runs once, on the
  /// thread that finishes the last operation before the mark (at once, here, when nothing is in
  /// flight): it must be quick and must not call the engine.
  virtual Marker mark(std::function<void(TimePoint)> on_finished = {}) = 0;

  /// Assigns the operations that name no stream, including those in flight, to `stream`, which must
  /// outlive the engine. Call it before the first operation on another stream. Until then an event
  /// of the default stream covers every operation pushed so far, at no cost to them. May block at
  /// the run-ahead limit.
  virtual void set_default_stream(Stream& stream) = 0;

  [[nodiscard]] virtual std::uint64_t in_flight() const noexcept = 0;  ///< Operations.
  [[nodiscard]] virtual std::uint64_t bytes_in_flight()
      const noexcept = 0;                                                   ///< Sum of their costs.
  [[nodiscard]] virtual std::uint64_t in_flight_peak() const noexcept = 0;  ///< Since reset_peaks.
  virtual void reset_peaks() noexcept = 0;
  /// Memory of the operations themselves, in flight or kept for reuse, without what their bodies
  /// own on the heap; bytes.
  [[nodiscard]] virtual std::uint64_t bookkeeping_bytes() const noexcept = 0;
  /// Age of the oldest operation in flight, seconds, to about 4 ms; 0 when none is.
  [[nodiscard]] virtual double oldest_seconds() const noexcept = 0;

  /// Takes effect at once, for held pushes too. @throws UsageError if it is out of range.
  virtual void set_limit(const RunAheadLimit& limit) = 0;
  [[nodiscard]] virtual RunAheadLimit limit() const = 0;

 protected:
  Engine() = default;
};

/// The naive engine when `options.workers` is 0, else the threaded one.
/// @throws UsageError on options out of their range.
[[nodiscard]] std::unique_ptr<Engine> make_engine(const EngineOptions& options);

}  // namespace runahead::engine
