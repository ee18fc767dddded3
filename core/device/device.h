#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/device/storage/peak_resets.h"
#include "core/device/storage/tensor_class.h"
#include "core/engine/allocator_settings.h"
#include "core/engine/device_settings.h"
#include "core/engine/engine.h"
#include "core/memory/probe.h"

namespace at {
class Tensor;
}
namespace torch::nn {
class Module;
}

namespace runahead {

/// Registers `acpu`, the asynchronous CPU device, as LibTorch's PrivateUse1 backend: afterwards
/// `torch::Device("acpu")` works. Idempotent and thread-safe; no backward pass may run meanwhile.
/// @throws UnavailableError if another PrivateUse1 backend is registered.
void register_device();

}  // namespace runahead

/// The process's only `acpu` device: its settings, counters, and waits.
namespace runahead::device {

using engine::Allocation;
using engine::FreedMemory;
using engine::ProductLibrary;

/// How non-blocking copies between the device and the host treat host memory.
enum class HostCopies {
  /// Copies from pageable memory read the values at issue, as CUDA's do; copies from pinned memory,
  /// when they run. Copies to the host wait.
  kSnapshot,
  /// Copies read the values when they run: the source is kept until then, and must not be changed
  /// or resized. Copies into pinned memory don't wait, like CUDA's: the values are there after the
  /// next wait for the device.
  kKeep,
};
constexpr auto enum_names(HostCopies) { return std::array{"snapshot", "keep"}; }

struct DeviceOptions {
  int workers = 1;  ///< 0: every operation runs at issue (as with RUNAHEAD_BLOCKING=1).
  engine::ReadyOrder ready_order = engine::ReadyOrder::kOldestFirst;
  Allocation allocation = Allocation::kAtExecution;
  engine::AllocatorSettings allocator{};  ///< For Allocation::kCaching only.
  HostCopies host_copies = HostCopies::kSnapshot;
  /// kFastest needs a calibration of this machine: if there is none, configure measures it, which
  /// takes about 20 s, and stores it (products/product_calibration.h).
  ProductLibrary products = ProductLibrary::kLibTorch;
  /// kKept replaces LibTorch's CPU allocator from then on, for results of the device alone.
  /// nullopt: kept, except with Allocation::kCaching, which keeps memory itself, or if the process
  /// has a CPU allocator of its own.
  std::optional<FreedMemory> freed_memory{};
  /// nullopt: the guard (run_ahead_guard.h), computed at configure. RunAheadLimit(): none.
  std::optional<engine::RunAheadLimit> limit{};
  int intra_op_threads = 1;        ///< Of each worker, 1 to 1024.
  std::vector<int> worker_cpus{};  ///< CPU each worker is pinned to, cyclic; empty: not pinned.
  engine::Observer* observer = nullptr;  ///< Sees every operation; must outlive the next configure.
  engine::WaitHooks wait_hooks{};        ///< Called around every wait for the device.
  /// Called when the front end drops an exception of a kernel that is not LibTorch's, to clear what
  /// its language keeps of it. May be null.
  void (*drop_foreign_error)() noexcept = nullptr;
  /// Called when the limit needs attention; empty: LibTorch warns instead.
  engine::LimitNoticeHandler on_limit_notice{};
};

/// @throws UsageError for settings out of range, or that have no effect together.
void require_valid(const DeviceOptions& options);

/// Waits for all work, then applies these settings. Tensors stay valid. Other threads may use the
/// device meanwhile: what they issue waits until it is done.
/// @throws what synchronize() and require_valid() throw.
void configure(const DeviceOptions& options);

/// The same with the settings in use, as `change` leaves them. What several threads change at once
/// takes effect one change after the other, so that none is lost. `change` may be called more than
/// once, and must not use the device. A change to another model of allocation than kCaching resets
/// the settings of that model.
/// @throws also what `change` throws, after which nothing has changed.
void reconfigure(const std::function<void(DeviceOptions&)>& change);

/// Whether RUNAHEAD_BLOCKING makes every operation run at issue, regardless of `workers`, and the
/// call that issues it throw its error.
[[nodiscard]] bool is_blocking_requested() noexcept;

/// The settings in use; the limit is set.
[[nodiscard]] DeviceOptions options();

/// The workers in use: none if is_blocking_requested().
[[nodiscard]] int workers();

/// Changes the run-ahead limit, without waiting. @throws UsageError if it is out of range.
void set_limit(const engine::RunAheadLimit& limit);
/// The same with the limit in use, as `change` leaves it. `change` must not use the device.
void change_limit(const std::function<void(engine::RunAheadLimit&)>& change);

/// Whether this process was forked after the device had started: it can't be used here, and
/// everything that needs it throws UnavailableError.
[[nodiscard]] bool is_forked() noexcept;

/// Whether, with the settings in use, committed bytes are the predicted high-water mark rather than
/// the sum of claimed bytes.
[[nodiscard]] bool predicts_high_water_mark();

/// Finishes what is in flight and joins the workers permanently. From then on operations run at
/// issue. Runs automatically at exit; an embedding program calls it earlier if operations may need
/// what it tears down first. Other threads may issue a little meanwhile, and go on later.
/// Drops what is queued if the check of the wait hooks throws meanwhile.
/// @throws engine::OperationError for an error that no wait has reported, and what the check threw;
/// the device is finished even then. UsageError in the body of an operation and during a wait.
void finish();

/// From now on, other threads block forever at their next use of the device, without the lock that
/// the wait hooks release: for an interpreter that exits while its threads run. Waits for uses
/// under way.
void keep_to_this_thread();

/// Makes the operations that have not begun fail instead of executing, so that `finish` soon ends:
/// for a program that was interrupted and needs no results any more. Their errors are not reported.
/// What is issued later fails, too, until `finish` or `configure`.
void drop_queued();

/// Waits until everything issued before has finished.
/// @throws engine::OperationError for an unreported error.
void synchronize();

/// Waits until the values of `tensor` are computed, and for nothing else; copies nothing.
/// @throws engine::OperationError if an operation that it depends on failed.
void wait_for(const at::Tensor& tensor);

/// In bytes; peaks are updated at every change and count since reset_peaks().
struct MemoryStats {
  std::uint64_t live_bytes = 0;       ///< Allocated, and freed in flight.
  std::uint64_t allocated_bytes = 0;  ///< Memory owned by tensors.
  /// Memory that no tensor owns any more, but operations in flight still use.
  std::uint64_t freed_in_flight_bytes = 0;
  std::uint64_t reserved_bytes = 0;  ///< Live, and kept by the allocator for reuse.
  std::uint64_t promised_bytes = 0;  ///< Outputs issued, not yet allocated.
  std::uint64_t held_bytes = 0;      ///< Host tensors kept only by operations in flight.
  /// What memory will reach when everything issued has run: the predicted high-water mark with one
  /// worker that executes in the order of issue and allocates at execution, otherwise
  /// claimed_bytes.
  std::uint64_t committed_bytes = 0;
  std::uint64_t claimed_bytes = 0;  ///< Promised, live and held bytes together.
  /// Live and held bytes, by what they are for.
  std::array<std::uint64_t, kTensorClasses> class_bytes{};
  /// The part of these and of memory kept for reuse that no operation has used yet: not resident.
  std::array<std::uint64_t, kTensorClasses> untouched_class_bytes{};
  std::uint64_t untouched_bytes = 0;  ///< Of all classes.
  /// Results that kernels are computing, until they are in the promised blocks: the kernels' own
  /// memory, not live yet, or in addition to live memory.
  std::uint64_t executing_bytes = 0;
  std::uint64_t bookkeeping_bytes = 0;  ///< Of the queue itself: operations, blocks, calls.
  std::uint64_t live_peak_bytes = 0;
  std::uint64_t allocated_peak_bytes = 0;
  std::uint64_t freed_in_flight_peak_bytes = 0;
  std::uint64_t reserved_peak_bytes = 0;
  std::uint64_t promised_peak_bytes = 0;
  std::uint64_t held_peak_bytes = 0;
  std::uint64_t committed_peak_bytes = 0;
  std::uint64_t occupied_peak_bytes = 0;  ///< Of live and held bytes together.
  std::uint64_t claimed_peak_bytes = 0;   ///< The peak of the sum, not the sum of the peaks.
};
/// All zero in a process without a device: before register_device(), or in a forked child.
[[nodiscard]] MemoryStats memory_stats() noexcept;

/// A figure of MemoryStats and its name. `current` or `peak` is null if it has none.
struct MemoryFigure {
  const char* name = "";
  std::uint64_t MemoryStats::*current = nullptr;
  std::uint64_t MemoryStats::*peak = nullptr;
};
/// The figures that users see; each has both.
[[nodiscard]] std::vector<MemoryFigure> memory_figures();

/// Memory that a device has claimed for tensors and for what is in flight, counted since its start.
struct ClaimedBytes {
  std::uint64_t claimed = 0;   ///< Everything ever claimed.
  std::uint64_t released = 0;  ///< The part of it that was released.
  std::uint64_t peak = 0;      ///< The most at once since the device's peaks were reset.
};
/// Those of `acpu`. Thread-safe; may be called in a mark's callback. All zero in a process without
/// the device.
[[nodiscard]] ClaimedBytes claimed_bytes() noexcept;

struct Backlog {
  std::uint64_t operations = 0;
  std::uint64_t operations_peak = 0;
  std::uint64_t bytes = 0;      ///< Promised and held bytes.
  double oldest_seconds = 0.0;  ///< Age of the oldest operation in flight.
};
/// All zero in a process without a device, like memory_stats().
[[nodiscard]] Backlog backlog() noexcept;

/// Sets every peak to the present value and forgets the blocking operators counted so far.
void reset_peaks() noexcept;
/// From now on calls `listener` before peaks are reset, by reset_peaks() or by LibTorch's
/// functions; null: nothing. Waits for a call that is under way. The listener must not throw.
void listen_for_peak_resets(PeakResetListener listener);

/// How often each operator made the front end wait for its shape, by operator name.
[[nodiscard]] std::map<std::string, std::uint64_t> blocking_operators();

/// Queues, on the current stream, one operation per worker that sleeps for `seconds`: what is
/// issued afterwards starts after it, and piles up meanwhile. Never waits for it, but may block at
/// the run-ahead limit, like any operation. @param seconds  Above 0.
/// @throws UsageError otherwise, and if operations run at issue: the caller would sleep.
void hold_workers(double seconds);

/// Calls `on_finished` once every operation issued so far has finished (at once, here, if none is
/// in flight). Never blocks; `on_finished` must be quick and must not issue operations.
engine::Marker mark(std::function<void(TimePoint)> on_finished = {});
/// Waits for a marker of the device. @throws what the check of the wait hooks throws.
void wait_for(const engine::Marker& marker);

/// Keeps the memory of `tensor` as an operation in flight would: while the returned pointer lives
/// and no tensor refers to the memory, it counts as held or as freed in flight. Committed bytes
/// assume that the pointer is dropped once everything issued so far has finished, as a mark's
/// callback can do. Any thread may drop it.
[[nodiscard]] std::shared_ptr<const void> hold_memory(const at::Tensor& tensor);

/// Moves parameters, their gradients and buffers between `cpu` and `acpu`, or to other devices as
/// Module::to does. Parameters stay the same tensors, so optimisers keep them and shared ones stay
/// shared. Waits for values that leave `acpu`.
void place(torch::nn::Module& module, const std::string& device);

/// Reads what acpu holds and has queued, and the parts that make up RSS: the sampled figures of
/// memory_figures.cpp, and for each TensorClass its bytes and how many of them are untouched.
[[nodiscard]] std::unique_ptr<memory::Probe> make_memory_probe();

}  // namespace runahead::device
