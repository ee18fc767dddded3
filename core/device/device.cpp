#include "core/device/device.h"

#include <ATen/core/Tensor.h>

#include <numeric>
#include <utility>

#include "core/device/runtime.h"

namespace runahead::device {

void configure(const DeviceOptions& options) { Runtime::get().configure(options); }

DeviceOptions options() { return Runtime::get().options(); }

void set_limit(const engine::RunAheadLimit& limit) { Runtime::get().set_limit(limit); }

bool predicts_high_water_mark() { return Runtime::get().ledger.predicts(); }

void finish(bool keeps_to_this_thread) {
  if (Runtime* runtime = Runtime::find()) runtime->finish(keeps_to_this_thread);
}

void stop() noexcept {
  try {
    finish();
  } catch (...) {
    // Dropped, as the caller asked.
  }
}

void synchronize() { Runtime::get().wait_all(); }

void wait_for(const at::Tensor& tensor) { Runtime::get().wait_for(tensor); }

MemoryStats memory_stats() noexcept {
  Runtime* const runtime = Runtime::find();
  if (runtime == nullptr) return {};
  const MemoryLedger& ledger = runtime->ledger;
  std::array<std::uint64_t, kTensorClasses> class_bytes{};
  std::array<std::uint64_t, kTensorClasses> untouched{};
  for (std::size_t i = 0; i < kTensorClasses; ++i) {
    class_bytes[i] = ledger.class_bytes(static_cast<TensorClass>(i));
    untouched[i] = ledger.untouched_bytes(static_cast<TensorClass>(i));
  }
  return {.live_bytes = ledger.live.bytes.current(),
          .allocated_bytes = ledger.allocated.bytes.current(),
          .freed_in_flight_bytes = ledger.freed.current(),
          .reserved_bytes = ledger.reserved_bytes(),
          .promised_bytes = ledger.promised.current(),
          .held_bytes = ledger.held.current(),
          .committed_bytes = runtime->engine()->committed_bytes(),
          .claimed_bytes = ledger.claimed.current(),
          .class_bytes = class_bytes,
          .untouched_class_bytes = untouched,
          .untouched_bytes = std::accumulate(untouched.begin(), untouched.end(), std::uint64_t{0}),
          .executing_bytes = ledger.executing_bytes(),
          .bookkeeping_bytes = runtime->bookkeeping_bytes(),
          .live_peak_bytes = ledger.live.bytes.peak(),
          .allocated_peak_bytes = ledger.allocated.bytes.peak(),
          .freed_in_flight_peak_bytes = ledger.freed.peak(),
          .reserved_peak_bytes = ledger.reserved_peak_bytes(),
          .promised_peak_bytes = ledger.promised.peak(),
          .held_peak_bytes = ledger.held.peak(),
          .committed_peak_bytes = ledger.committed_peak_bytes(),
          .occupied_peak_bytes = ledger.occupied.peak(),
          .claimed_peak_bytes = ledger.claimed.peak()};
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
  static_cast<void>(
      runtime->engine()->committed_bytes());  // Has the ledger look: what ran is over.
  runtime->ledger.reset_peaks();
  runtime->engine()->reset_peaks();
  runtime->blocking.clear();
}

std::map<std::string, std::uint64_t> blocking_operators() {
  return Runtime::get().blocking.counts();
}

std::shared_ptr<const void> hold_memory(const at::Tensor& tensor) {
  engine::VariablePtr block(&block_of(tensor));
  Runtime::get().engine()->keep(block);
  return std::make_shared<const engine::VariablePtr>(std::move(block));
}

engine::Marker mark(std::function<void(TimePoint)> on_finished) {
  return Runtime::get().engine()->mark(std::move(on_finished));
}

}  // namespace runahead::device
