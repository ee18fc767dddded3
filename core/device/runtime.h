#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "core/device/blocking_operators.h"
#include "core/device/device.h"
#include "core/device/dispatch/operator_plan.h"
#include "core/device/engine_slot.h"
#include "core/device/layouts/layout_table.h"
#include "core/device/layouts/return_layouts.h"
#include "core/device/products/products.h"
#include "core/device/storage/block_pool.h"
#include "core/device/storage/caching_pool.h"
#include "core/device/storage/memory_ledger.h"
#include "core/device/storage/peak_resets.h"
#include "core/device/storage/retired_references.h"
#include "core/device/storage/segment_pool.h"
#include "core/device/storage/warm_memory.h"
#include "core/device/streams.h"
#include "core/device/torch/deferred_warnings.h"
#include "core/engine/engine.h"

namespace runahead::device {

/// The parts of the process's only device, and the engine that runs its operations.
class Runtime {
 public:
  Runtime();

  /// The device's runtime, created by register_device(). @throws UsageError before that;
  /// UnavailableError in a process forked after it.
  [[nodiscard]] static Runtime& get();
  /// The same, or null where get() throws.
  [[nodiscard]] static Runtime* find() noexcept;

  /// The engine, which is not replaced while the returned object lives: usually one expression.
  [[nodiscard]] EngineSlot::Use engine() { return slot_.use(); }
  /// Memory used by operations and blocks themselves, including those kept for reuse, in bytes.
  [[nodiscard]] std::uint64_t bookkeeping_bytes();
  /// Announces that peaks are reset, with the counts of calls if `forgets_calls`, and resets those
  /// of the memory.
  void reset_memory_peaks(bool forgets_calls);
  [[nodiscard]] DeviceOptions options() const;
  [[nodiscard]] Allocation allocation() const noexcept {
    return allocation_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] HostCopies host_copies() const noexcept {
    return host_copies_.load(std::memory_order_relaxed);
  }
  /// To be called while handling an exception that is not propagated. See DeviceOptions.
  void drop_foreign_error() const noexcept {
    if (const auto drop = drop_foreign_error_.load(std::memory_order_relaxed)) drop();
  }
  void reconfigure(const std::function<void(DeviceOptions&)>& change);
  void change_limit(const std::function<void(engine::RunAheadLimit&)>& change);
  /// Finishes what is in flight and joins the workers permanently. From then on operations run at
  /// issue, on the thread that issues them; see device::finish. @throws engine::OperationError for
  /// an error that no wait has reported; the device is finished even then.
  void finish();
  void keep_to_this_thread();  ///< See device::keep_to_this_thread.
  [[nodiscard]] bool is_finished() const noexcept { return slot_.is_closed(); }
  /// Makes the exit of the process finish the queue before it destroys the statics that exist by
  /// now. Kernels create such when they first run.
  static void finish_before_statics();
  void drop_queued();  ///< See device::drop_queued.

  /// Pushes from a front-end thread, on its current stream. The body runs below autograd and in the
  /// float mode of this thread. Operations on blocks go through `issue` (issue.h).
  void push(engine::Operation&& operation);
  /// Waits until every operation issued so far that writes the tensor's block has finished.
  /// @throws engine::OperationError if one that it depends on failed.
  void wait_for(const at::Tensor& tensor);
  /// The same for a variable that a LibTorch call is about to read.
  /// @throws c10::OutOfMemoryError, torch.OutOfMemoryError in Python, if that was the cause;
  /// engine::OperationError for other causes.
  void wait_to_read(const engine::VariablePtr& variable);
  void wait_to_read(const at::Tensor& tensor);
  /// Whether a call throws the error of what it issues: RUNAHEAD_BLOCKING asks for it.
  [[nodiscard]] bool reports_at_call() const noexcept { return reports_at_call_; }
  /// Throws what a read of `written` by the call that has just written it would throw.
  void report_at_call(const engine::VariablePtr& written);
  void wait_all();
  /// Waits until everything issued so far has finished, and leaves errors to other waits.
  void finish_in_flight();

  /// The id of the next stream of a pool.
  [[nodiscard]] c10::StreamId take_stream(bool has_high_priority);
  /// Records an event that covers what was issued on that stream.
  [[nodiscard]] engine::Event record(c10::StreamId stream);
  /// The same for a use of memory: on an idle stream, a finished event without an operation.
  [[nodiscard]] engine::Event record_use(c10::StreamId stream) {
    const engine::UncheckedWaits unchecked;  // Its callers free memory.
    return is_idle(stream) ? engine::Event() : record(stream);
  }
  /// Does not throw for failed operations: reads of what they should have written do.
  void wait_for(const engine::Event& event);
  /// Waits for what was issued on that stream. @throws engine::OperationError for an unreported
  /// error, of any stream.
  void wait_for_stream(c10::StreamId stream);
  [[nodiscard]] bool is_idle(c10::StreamId stream);

  Streams streams{};
  PeakResets peak_resets{};
  MemoryLedger ledger{};
  SegmentPool segments{ledger};
  CachingPool caching{ledger};
  WarmMemory warm_memory{ledger};
  BlockPool blocks{ledger};
  LayoutTable known_layouts{};
  PlanCache plans{};
  LayoutCache layouts{};
  RetiredReferences retired{};
  DeferredWarnings warnings{};
  BlockingOperators blocking{};
  Products products{};
  at::Generator default_generator{};
  /// Pinned memory that copies in flight read and the ledger counts as held.
  std::atomic<std::uint64_t> held_pinned_bytes{0};

 private:
  /// What the front end does for the workers after a wait.
  void end_wait();
  /// Waits for what is in flight, and lets other threads issue only a little meanwhile. @return
  /// what the check of the wait hooks threw, after which the rest is dropped; null if it threw
  /// nothing.
  [[nodiscard]] std::exception_ptr wait_unless_interrupted();
  /// The tensor's block, for a wait. Unwritten memory is first ordered behind what still uses it.
  [[nodiscard]] engine::VariablePtr variable_to_read(const at::Tensor& tensor);

  /// The settings in use, as `change` leaves them. @throws UsageError if they are out of range.
  [[nodiscard]] DeviceOptions changed_options(
      const std::function<void(DeviceOptions&)>& change) const;
  void take(const DeviceOptions& options);
  /// Whether the options request it, and it is possible.
  /// @throws UnavailableError if it is requested explicitly and is not possible.
  [[nodiscard]] bool keeps_freed_memory(const DeviceOptions& options);

  const bool reports_at_call_ = is_blocking_requested();
  std::atomic<Allocation> allocation_{Allocation::kAtExecution};
  std::atomic<HostCopies> host_copies_{HostCopies::kSnapshot};
  std::atomic<bool> runs_at_issue_{false};
  std::atomic<void (*)() noexcept> drop_foreign_error_{nullptr};
  std::once_flag has_statics_of_onednn_{};
  std::mutex limit_mutex_{};  ///< Held while the limit is changed.
  mutable std::mutex options_mutex_{};
  DeviceOptions options_;  ///< Guarded by options_mutex_.
  // Last, so that it is destroyed first: its workers use all the rest.
  EngineSlot slot_;
};

}  // namespace runahead::device
