#include "core/device/device.h"

#include <ATen/core/Tensor.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "core/device/dispatch/operand.h"
#include "core/device/runtime.h"

namespace runahead::device {
namespace {

// More than any machine's processors; OpenMP ends the process where it cannot create them.
constexpr int kMostIntraOpThreads = 1024;

}  // namespace

void require_valid(const DeviceOptions& options) {
  RUNAHEAD_REQUIRE(options.workers >= 0, "workers must be 0 or more");
  RUNAHEAD_REQUIRE(options.intra_op_threads >= 1 && options.intra_op_threads <= kMostIntraOpThreads,
                   "intra_op_threads must be from 1 to 1024");
  RUNAHEAD_REQUIRE((options.wait_hooks.before == nullptr) == (options.wait_hooks.after == nullptr),
                   "wait_hooks must have both before and after, or neither");
  const bool is_caching = options.allocation == Allocation::kCaching;
  if (is_caching && options.freed_memory == FreedMemory::kKept) {
    throw UsageError(
        "freed_memory: found kept with allocation caching, which keeps memory itself; allowed: "
        "returned");
  }
  engine::AllocatorSettings settings = options.allocator;
  settings.capacity_bytes = std::nullopt;
  const bool has_settings = settings != engine::AllocatorSettings();
  if (!is_caching && (has_settings || options.allocator.capacity_bytes)) {
    throw UsageError(std::string(has_settings ? "allocator" : "capacity") +
                     ": found with allocation " +
                     names_of<Allocation>()[static_cast<std::size_t>(options.allocation)] +
                     ", which has no such setting; allowed: with allocation caching, in the same "
                     "call or before");
  }
}

void configure(const DeviceOptions& options) {
  reconfigure([&options](DeviceOptions& present) { present = options; });
}

void reconfigure(const std::function<void(DeviceOptions&)>& change) {
  Runtime::get().reconfigure(change);
}

DeviceOptions options() { return Runtime::get().options(); }

int workers() { return is_blocking_requested() ? 0 : options().workers; }

void set_limit(const engine::RunAheadLimit& limit) {
  change_limit([&limit](engine::RunAheadLimit& present) { present = limit; });
}

void change_limit(const std::function<void(engine::RunAheadLimit&)>& change) {
  Runtime::get().change_limit(change);
}

bool predicts_high_water_mark() { return Runtime::get().ledger.predicts(); }

void finish() {
  if (Runtime* runtime = Runtime::find()) runtime->finish();
}

void keep_to_this_thread() {
  if (Runtime* runtime = Runtime::find()) runtime->keep_to_this_thread();
}

void drop_queued() {
  if (Runtime* runtime = Runtime::find()) runtime->drop_queued();
}

void synchronize() { Runtime::get().wait_all(); }

void wait_for(const at::Tensor& tensor) { Runtime::get().wait_for(tensor); }

ClaimedBytes claimed_bytes() noexcept {
  const Runtime* runtime = Runtime::find();
  if (runtime == nullptr) return {};
  const PeakCounter& claimed = runtime->ledger.claimed;
  return {.claimed = claimed.added(), .released = claimed.subtracted(), .peak = claimed.peak()};
}

Backlog backlog() noexcept {
  Runtime* runtime = Runtime::find();
  if (runtime == nullptr) return {};
  return {.operations = runtime->engine()->in_flight(),
          .operations_peak = runtime->engine()->in_flight_peak(),
          .bytes = runtime->ledger.promised.current() + runtime->ledger.held.current(),
          .oldest_seconds = runtime->engine()->oldest_seconds()};
}

void reset_peaks() noexcept {
  Runtime* runtime = Runtime::find();
  if (runtime == nullptr) return;
  runtime->reset_memory_peaks(/*forgets_calls=*/true);
  runtime->engine()->reset_peaks();
  runtime->blocking.clear();
  runtime->products.forget();
}

void listen_for_peak_resets(PeakResetListener listener) {
  Runtime::get().peak_resets.listen(std::move(listener));
}

std::map<std::string, std::uint64_t> blocking_operators() {
  return Runtime::get().blocking.counts();
}

// A sleeping worker takes no second operation, so one per worker holds all of them.
void hold_workers(double seconds) {
  RUNAHEAD_REQUIRE(seconds > 0.0, "workers are held for a time above 0");
  const int count = workers();
  RUNAHEAD_REQUIRE(count > 0, "without workers operations run at issue: there is none to hold");
  const std::chrono::duration<double> duration(seconds);
  for (int worker = 0; worker < count; ++worker) {
    Runtime::get().push(
        {.name = "hold", .body = [duration] { std::this_thread::sleep_for(duration); }});
  }
}

std::shared_ptr<const void> hold_memory(const at::Tensor& tensor) {
  engine::VariablePtr block(&block_of(tensor));
  Runtime::get().engine()->keep(block);
  return std::make_shared<const engine::VariablePtr>(std::move(block));
}

void wait_for(const engine::Marker& marker) { Runtime::get().engine()->wait_for(marker); }

engine::Marker mark(std::function<void(TimePoint)> on_finished) {
  return Runtime::get().engine()->mark(std::move(on_finished));
}

}  // namespace runahead::device
