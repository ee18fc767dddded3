#include "core/device/runtime.h"

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <cstdlib>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/error.h"
#include "core/device/dispatch/issue.h"
#include "core/device/dispatch/operand.h"
#include "core/device/failures.h"
#include "core/device/products/onednn_product.h"
#include "core/device/products/product_calibration.h"
#include "core/device/products/product_table.h"
#include "core/device/run_ahead_guard.h"
#include "core/device/storage/commitment.h"
#include "core/device/torch/autocast.h"
#include "core/device/torch/float_mode.h"
#include "core/device/torch/generator.h"
#include "core/device/torch/threads.h"

namespace runahead::device {
namespace {

// What other threads may have in flight while the queue is finished.
constexpr std::uint64_t kMostAtExit = 64;

// Workers run kernels only: the front end has done autograd's part.
void stay_below_autograd() {
  c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  keys.excluded_ = keys.excluded_ | c10::autograd_dispatch_keyset_with_ADInplaceOrView;
  c10::impl::_force_tls_local_dispatch_key_set(keys);
}

void prepare_worker(const DeviceOptions& options, DeferredWarnings& warnings, int worker) {
  c10::WarningUtils::set_warning_handler(&warnings);
  set_own_intra_op_threads(options.intra_op_threads);
  stay_below_autograd();
  if (options.worker_cpus.empty()) return;
  const auto index = static_cast<std::size_t>(worker) % options.worker_cpus.size();
  pin_calling_thread(options.worker_cpus[index]);
}

void warn_of_limit(const engine::LimitNotice& notice) {
  TORCH_WARN(limit_notice_text(notice, memory_stats(), ""));
}

std::unique_ptr<engine::Engine> make_engine(const DeviceOptions& options, MemoryLedger& ledger,
                                            DeferredWarnings& warnings) {
  const FloatModeScope of_workers{FloatMode()};
  return engine::make_engine(
      {.workers = is_blocking_requested() ? 0 : options.workers,
       .ready_order = options.ready_order,
       .limit = *options.limit,
       .ledger = &ledger,
       .observer = options.observer,
       .wait_hooks = options.wait_hooks,
       .on_worker_start = [options,
                           &warnings](int worker) { prepare_worker(options, warnings, worker); },
       .on_limit_notice = options.on_limit_notice ? options.on_limit_notice : warn_of_limit,
       .describe_error = text_of_error});
}

DeviceOptions resolved(DeviceOptions options) {
  if (!options.limit) options.limit = guard_limit();
  return options;
}

bool runs_at_issue(const DeviceOptions& options) {
  return options.workers == 0 || is_blocking_requested();
}

bool executes_in_order(const DeviceOptions& options) {
  const bool has_one = options.workers == 1 || runs_at_issue(options);
  return has_one && options.ready_order == engine::ReadyOrder::kOldestFirst;
}

/// Null: LibTorch's library computes all products.
/// @param known  One in use or just measured, or null; returned if it is the right one.
std::shared_ptr<const ProductCalibration> product_calibration_for(
    const DeviceOptions& options, const std::shared_ptr<const ProductCalibration>& known) {
  if (options.products == ProductLibrary::kLibTorch) return nullptr;
  const int threads = runs_at_issue(options) ? at::get_num_threads() : options.intra_op_threads;
  const int cpu = threads == 1 && !options.worker_cpus.empty() ? options.worker_cpus.front() : -1;
  return product_calibration_here(threads, cpu, known, options.wait_hooks.check);
}

/// Resets what the change has not named: the capacity, and the other settings.
void reset_unchanged(engine::AllocatorSettings& settings,
                     const engine::AllocatorSettings& present) {
  const auto capacity = std::exchange(settings.capacity_bytes, present.capacity_bytes);
  if (settings == present) settings = {};
  settings.capacity_bytes = capacity == present.capacity_bytes ? std::nullopt : capacity;
}

}  // namespace

bool is_blocking_requested() noexcept {
  const char* value = std::getenv("RUNAHEAD_BLOCKING");
  return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

Runtime::Runtime()
    : default_generator(make_generator()),
      runs_at_issue_(runs_at_issue({})),
      options_(resolved({})),
      slot_(make_engine(options_, ledger, warnings), {}) {
  warm_memory.set_keeping(keeps_freed_memory(options_));
}

DeviceOptions Runtime::changed_options(const std::function<void(DeviceOptions&)>& change) const {
  const DeviceOptions present = this->options();
  DeviceOptions options = present;
  change(options);
  const bool ends_caching =
      present.allocation == Allocation::kCaching && options.allocation != Allocation::kCaching;
  if (ends_caching) reset_unchanged(options.allocator, present.allocator);
  require_valid(options);
  return resolved(std::move(options));
}

void Runtime::reconfigure(const std::function<void(DeviceOptions&)>& change) {
  retired.drop_all();
  // Measures the machine, if that is needed, while other threads may still use the device.
  auto calibration = product_calibration_for(changed_options(change), products.calibration());
  EngineSlot::Replacement replacement(slot_);
  if (is_finished()) {
    throw UsageError("the process ends and the device has finished; configure it earlier");
  }
  const DeviceOptions chosen = changed_options(change);
  const bool keeps_memory = keeps_freed_memory(chosen);
  calibration = product_calibration_for(chosen, calibration);
  if (calibration != nullptr && has_onednn_products()) {
    std::call_once(has_statics_of_onednn_, [] {
      make_statics_of_onednn();
      finish_before_statics();
    });
  }
  replacement.engine().report_failure();
  replacement.install(make_engine(chosen, ledger, warnings), chosen.wait_hooks);
  products.use(std::move(calibration));
  take(chosen);
  ledger.restart(executes_in_order(chosen) && chosen.allocation == Allocation::kAtExecution);
  if (streams.are_in_use()) replacement.engine().set_default_stream(streams.default_stream());
  warm_memory.set_keeping(keeps_memory);
  segments.set_keeping(chosen.allocation == Allocation::kInStreamOrder);
  caching.stop();
  if (chosen.allocation == Allocation::kCaching) caching.start(chosen.allocator);
}

bool Runtime::keeps_freed_memory(const DeviceOptions& options) {
  if (options.allocation == Allocation::kCaching) return false;
  if (options.freed_memory == FreedMemory::kReturned) return false;
  const bool can_keep = warm_memory.install();
  if (options.freed_memory == FreedMemory::kKept && !can_keep) {
    throw UnavailableError(
        "acpu can't keep freed memory: this process has a CPU allocator that is not LibTorch's "
        "default; set freed_memory to returned");
  }
  return can_keep;
}

void Runtime::take(const DeviceOptions& options) {
  allocation_.store(options.allocation, std::memory_order_relaxed);
  host_copies_.store(options.host_copies, std::memory_order_relaxed);
  runs_at_issue_.store(runs_at_issue(options), std::memory_order_relaxed);
  drop_foreign_error_.store(options.drop_foreign_error, std::memory_order_relaxed);
  const std::lock_guard lock(options_mutex_);
  options_ = options;
}

DeviceOptions Runtime::options() const {
  const std::lock_guard lock(options_mutex_);
  return options_;
}

std::uint64_t Runtime::bookkeeping_bytes() {
  return engine()->bookkeeping_bytes() + blocks.bookkeeping_bytes() + ledger.calls.current() +
         ledger.bookkeeping_bytes();
}

void Runtime::reset_memory_peaks(bool forgets_calls) {
  peak_resets.announce(forgets_calls);
  static_cast<void>(engine()->committed_bytes());  // Settles what has finished.
  ledger.reset_peaks();
  caching.reset_peak_statistics();
}

void Runtime::change_limit(const std::function<void(engine::RunAheadLimit&)>& change) {
  const EngineSlot::Use engine = slot_.use();
  const std::lock_guard one_at_a_time(limit_mutex_);
  engine::RunAheadLimit limit = *options().limit;
  change(limit);
  engine->set_limit(limit);
  const std::lock_guard lock(options_mutex_);
  options_.limit = limit;
}

c10::StreamId Runtime::take_stream(bool has_high_priority) {
  return streams.take(has_high_priority, *engine());
}

std::exception_ptr Runtime::wait_unless_interrupted() {
  const engine::WaitHooks hooks = options().wait_hooks;
  const engine::HookedWait wait(hooks);
  try {
    change_limit([](engine::RunAheadLimit& limit) {
      limit.operations = std::min(limit.operations.value_or(kMostAtExit), kMostAtExit);
    });
    engine()->mark().wait(hooks.check);
    return nullptr;
  } catch (...) {
    drop_queued();
    return std::current_exception();
  }
}

void Runtime::drop_queued() { engine()->drop_queued(); }

void Runtime::finish() {
  if (is_finished()) return;
  slot_.require_replaceable();  // Before the wait, which would not end in a body.
  std::exception_ptr unreported = wait_unless_interrupted();
  {
    EngineSlot::Replacement replacement(slot_);
    if (!unreported) unreported = unreported_failures(replacement.engine());
    DeviceOptions at_issue = options();
    at_issue.workers = 0;
    at_issue.observer = nullptr;
    replacement.install(make_engine(at_issue, ledger, warnings), at_issue.wait_hooks);
    replacement.close();
    runs_at_issue_.store(true, std::memory_order_relaxed);
    ledger.restart(true);
  }
  retired.drop_all();
  if (unreported) std::rethrow_exception(unreported);
}

void Runtime::keep_to_this_thread() { EngineSlot::Replacement(slot_).keep_to_this_thread(); }

void Runtime::push(engine::Operation&& operation) {
  retired.drop_all();
  const FloatMode mode = FloatMode::current();
  if (mode != FloatMode()) {
    operation.body = BodyInFloatMode{mode, std::move(operation.body)};
  }
  // Streams wait for each other, and some have priority.
  if (streams.are_in_use() && streams.place(operation)) ledger.stop_predicting();
  const std::uint64_t cost_bytes = operation.cost_bytes;
  try {
    const EngineSlot::Use engine = slot_.use();
    if (runs_at_issue_.load(std::memory_order_relaxed)) {
      const at::AutoDispatchBelowADInplaceOrView below_autograd;
      const CpuAutocastScope without_autocast(std::nullopt);
      engine->push(std::move(operation));
    } else {
      engine->push(std::move(operation));
    }
  } catch (...) {
    // Not pushed; but the blocks that it named will free what they count as committed.
    ledger.commit_now(cost_bytes, 0);
    throw;
  }
}

void Runtime::wait_to_read(const engine::VariablePtr& variable) {
  try {
    engine()->wait_for(variable);
  } catch (const engine::OperationError& error) {
    if (error.is_out_of_memory()) C10_THROW_ERROR(OutOfMemoryError, error.what());
    throw;
  }
  end_wait();
}

void Runtime::end_wait() {
  retired.drop_all();
  blocks.return_spare_slabs();
  warnings.emit();
}

void Runtime::wait_to_read(const at::Tensor& tensor) { wait_to_read(variable_to_read(tensor)); }

void Runtime::report_at_call(const engine::VariablePtr& written) {
  // Within the body of an operation, what it issues runs later.
  if (!engine()->is_running_here()) wait_to_read(written);
}

void Runtime::wait_for(const at::Tensor& tensor) {
  engine()->wait_for(variable_to_read(tensor));
  end_wait();
}

engine::VariablePtr Runtime::variable_to_read(const at::Tensor& tensor) {
  Block& block = block_of(tensor);
  if (!block.is_committed()) {  // Never written: the read will claim it.
    Commitment commitment(*this, block.size_bytes());
    block.take_over(commitment);
  }
  if (block.has_predecessor()) {
    Accesses accesses;
    name_block(accesses, block, engine::AccessMode::kOrder);
    issue(*this, "empty", std::move(accesses), [] {});
  }
  return engine::VariablePtr(&block);
}

void Runtime::wait_all() {
  engine()->wait_all();
  end_wait();
}

void Runtime::finish_in_flight() {
  if (!streams.are_in_use()) return wait_for(record(0));
  for (c10::StreamId id = 0; id < Streams::kMost; ++id) {
    if (!is_idle(id)) wait_for(record(id));
  }
}

engine::Event Runtime::record(c10::StreamId stream) {
  return engine::record_event(*engine(), streams.named(stream));
}

void Runtime::wait_for(const engine::Event& event) {
  engine()->wait_for(event.variable());
  end_wait();
}

void Runtime::wait_for_stream(c10::StreamId stream) {
  if (!streams.are_in_use()) return wait_all();
  if (!is_idle(stream)) wait_for(record(stream));
  engine()->report_failure();
}

bool Runtime::is_idle(c10::StreamId stream) {
  return streams.are_in_use() ? streams.of(stream).is_idle() : engine()->in_flight() == 0;
}

}  // namespace runahead::device
