#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

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
  virtual void admit(std::uint64_t bytes) = 0;

  /// Makes the ledger's forecast treat `variable` as if the most recently pushed operation named
  /// it. For callers that hold the variable until that operation has finished.
  virtual void keep(const VariablePtr& variable) = 0;

  /// The ledger's committed bytes; 0 without a ledger.
  [[nodiscard]] virtual std::uint64_t committed_bytes() const noexcept = 0;

  /// Blocks until every operation pushed so far that writes `variable` has finished.
  /// @throws OperationError if the variable is poisoned, on every call until it is overwritten.
  /// @throws UsageError if `variable` is null, or if the call would block inside a body.
  virtual void wait_for(const VariablePtr& variable) = 0;

  /// Whether wait_for would return (or throw) immediately. Never blocks.
  [[nodiscard]] virtual bool is_settled(const VariablePtr& variable) const = 0;

  /// Blocks until every operation pushed before the call has finished.
  /// @throws OperationError for the earliest error that no wait has reported; the next call throws
  /// the next one.
  /// @throws UsageError inside a body.
  virtual void wait_all() = 0;

  /// Whether the calling thread is running a body of this engine.
  [[nodiscard]] virtual bool is_running_here() const noexcept = 0;

  /// Reports errors as wait_all does, without waiting. @throws OperationError as wait_all does.
  virtual void report_failure() = 0;

  /// Skips the operations that have not begun, and those pushed from now on: they fail, which
  /// counts as reported. For a program that ends and needs their results no longer.
  virtual void drop_queued() noexcept = 0;

  /// Marks the current position in the order of pushes. `on_finished`, if given, runs once, on the
  /// thread that finishes the last operation before the mark (or inside this call if nothing is in
  /// flight). It must be quick and must not call the engine.
  virtual Marker mark(std::function<void(TimePoint)> on_finished = {}) = 0;

  /// Assigns the operations that name no stream, including those in flight, to `stream`, which must
  /// outlive the engine. Call it before the first operation on another stream. Until this call, an
  /// event of the default stream covers every operation pushed so far, at no cost to them. May
  /// block at the run-ahead limit.
  virtual void set_default_stream(Stream& stream) = 0;

  [[nodiscard]] virtual std::uint64_t in_flight() const noexcept = 0;  ///< Operations.
  [[nodiscard]] virtual std::uint64_t bytes_in_flight()
      const noexcept = 0;                                                   ///< Sum of their costs.
  [[nodiscard]] virtual std::uint64_t in_flight_peak() const noexcept = 0;  ///< Since reset_peaks.
  virtual void reset_peaks() noexcept = 0;
  /// Bytes of the operation objects themselves, in flight or kept for reuse, excluding heap memory
  /// owned by their bodies.
  [[nodiscard]] virtual std::uint64_t bookkeeping_bytes() const noexcept = 0;
  /// Age of the oldest operation in flight in seconds, accurate to about 4 ms; 0 if there is none.
  [[nodiscard]] virtual double oldest_seconds() const noexcept = 0;

  /// Takes effect immediately, also for held pushes. @throws UsageError if it is out of range.
  virtual void set_limit(const RunAheadLimit& limit) = 0;
  [[nodiscard]] virtual RunAheadLimit limit() const = 0;

 protected:
  Engine() = default;
};

/// Returns the naive engine if `options.workers` is 0, otherwise the threaded one.
/// @throws UsageError if an option is out of range.
[[nodiscard]] std::unique_ptr<Engine> make_engine(const EngineOptions& options);

}  // namespace runahead::engine
