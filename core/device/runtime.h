#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/device/block_pool.h"
#include "core/device/device.h"
#include "core/device/float_mode.h"
#include "core/device/layout_table.h"
#include "core/device/memory_ledger.h"
#include "core/device/operator_plan.h"
#include "core/device/return_layouts.h"
#include "core/device/segment_pool.h"
#include "core/device/streams.h"
#include "core/engine/engine.h"

namespace runahead::device {

/// References to host tensors that operations have finished with. Dropping the last reference to a
/// tensor may run foreign code (Python's, with its lock), so workers hand them back and a front-end
/// thread drops them, at its next push or wait. Thread-safe; bounded by the operations in flight.
class RetiredReferences {
 public:
  void retire(at::Tensor tensor);
  /// Call it from front-end threads only.
  void drop_all();

 private:
  std::mutex mutex_{};
  std::vector<at::Tensor> tensors_{};
  std::atomic<bool> has_any_{false};
};

/// How often each operator made the front end wait for a shape. Thread-safe.
class BlockingOperators {
 public:
  void count(const std::string& name);
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const;
  void clear();

 private:
  mutable std::mutex mutex_{};
  std::map<std::string, std::uint64_t> counts_{};
};

/// The parts of the one device of the process, and the engine that runs its operations.
class Runtime {
 public:
  Runtime();

  /// The device's; made by register_device(). @throws UsageError before that; UnavailableError in a
  /// process forked after it.
  [[nodiscard]] static Runtime& get();
  /// The same, or null where get() throws.
  [[nodiscard]] static Runtime* find() noexcept;

  [[nodiscard]] engine::Engine& engine() noexcept { return *engine_; }
  [[nodiscard]] const engine::Engine& engine() const noexcept { return *engine_; }
  /// What operations and blocks take themselves, those kept for reuse included; bytes.
  [[nodiscard]] std::uint64_t bookkeeping_bytes() const noexcept;
  [[nodiscard]] const DeviceOptions& options() const noexcept { return options_; }
  void configure(const DeviceOptions& options);
  void set_limit(const engine::RunAheadLimit& limit);
  /// Finishes what is in flight and joins the workers, for good; never throws. From then on
  /// operations run at issue, on the thread that issues them.
  void stop() noexcept;

  /// Pushes from a front-end thread, or a thread of autograd, on its current stream. The body runs
  /// in the float mode of the front end: of this thread, or for autograd's of the front-end thread
  /// that pushed last.
  void push(engine::Operation&& operation);
  /// Waits until every operation issued so far that writes the tensor's block has finished.
  /// @throws engine::OperationError if one that it depends on failed.
  void wait_for(const at::Tensor& tensor);
  /// The same for a variable that a call of LibTorch's is about to read.
  /// @throws c10::OutOfMemoryError, torch.OutOfMemoryError in Python, if that was the cause;
  /// engine::OperationError for other causes.
  void wait_to_read(const engine::VariablePtr& variable);
  void wait_to_read(const at::Tensor& tensor);
  void wait_all();

  /// The id of the next stream of a pool.
  [[nodiscard]] c10::StreamId take_stream(bool has_high_priority);
  /// Records an event that covers what was issued on that stream.
  [[nodiscard]] engine::Event record(c10::StreamId stream);
  /// Throws for no failed operation: reads of what it should have written do.
  void wait_for(const engine::Event& event);
  /// Waits for what was issued on that stream. @throws engine::OperationError for an unreported
  /// error, of any stream.
  void wait_for_stream(c10::StreamId stream);
  [[nodiscard]] bool is_idle(c10::StreamId stream);

  Streams streams{};
  MemoryLedger ledger{};
  SegmentPool segments{ledger};
  BlockPool blocks{ledger};
  LayoutTable known_layouts{};
  PlanCache plans{};
  LayoutCache layouts{};
  RetiredReferences retired{};
  BlockingOperators blocking{};
  at::Generator default_generator{};

 private:
  [[nodiscard]] FloatMode front_end_float_mode() noexcept;
  /// The tensor's block, for a wait. Unwritten memory is ordered behind what still uses it first.
  [[nodiscard]] engine::VariablePtr variable_to_read(const at::Tensor& tensor);

  std::atomic<FloatMode> float_mode_{};  ///< Of the front-end thread that pushed last.
  // Last, so that it is destroyed first: its workers use all the rest.
  DeviceOptions options_{};
  std::unique_ptr<engine::Engine> engine_{};
};

}  // namespace runahead::device
