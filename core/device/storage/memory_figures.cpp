#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/device/device.h"
#include "core/device/runtime.h"
#include "core/device/torch/pinned_allocator.h"

namespace runahead::device {
namespace {

struct ClassColumn {
  TensorClass tensor_class;
  const char* name;
  const char* label;
};
constexpr std::array<ClassColumn, kTensorClasses> kClasses{
    {{TensorClass::kParameters, "parameters", "parameters"},
     {TensorClass::kGradients, "gradients", "gradients"},
     {TensorClass::kOptimizerState, "optimizer_state", "optimiser state"},
     {TensorClass::kActivations, "activations", "activations"},
     {TensorClass::kInputs, "inputs", "inputs"},
     {TensorClass::kOther, "other_tensors", "other tensors"}}};

std::uint64_t untouched_bytes(Runtime& runtime) {
  std::uint64_t bytes = 0;
  for (const ClassColumn& each : kClasses)
    bytes += runtime.ledger.untouched_bytes(each.tensor_class);
  return bytes;
}

using Read = std::uint64_t (*)(Runtime&);

/// A column of the probe, as in memory::Column.
struct Sample {
  const char* label = nullptr;  ///< Null: the probe has no such column.
  int rss_sign = 0;
};

/// A counter of the device: its fields in MemoryStats, and how it is read.
struct Figure {
  MemoryFigure stats{};
  Sample sample{};
  Read read = nullptr;
  Read read_peak = nullptr;
};

/// The only table of figures, starting with those of memory_figures().
const std::vector<Figure>& figures() {
  using Stats = MemoryStats;
  static const std::vector<Figure> table{
      {{"live_bytes", &Stats::live_bytes, &Stats::live_peak_bytes},
       {"live"},
       [](Runtime& r) { return r.ledger.live.bytes.current(); },
       [](Runtime& r) { return r.ledger.live.bytes.peak(); }},
      {{"reserved_bytes", &Stats::reserved_bytes, &Stats::reserved_peak_bytes},
       {"reserved"},
       [](Runtime& r) { return r.ledger.reserved_bytes(); },
       [](Runtime& r) { return r.ledger.reserved_peak_bytes(); }},
      {{"promised_bytes", &Stats::promised_bytes, &Stats::promised_peak_bytes},
       {"promised"},
       [](Runtime& r) { return r.ledger.promised.current(); },
       [](Runtime& r) { return r.ledger.promised.peak(); }},
      {{"held_bytes", &Stats::held_bytes, &Stats::held_peak_bytes},
       {"held"},
       [](Runtime& r) { return r.ledger.held.current(); },
       [](Runtime& r) { return r.ledger.held.peak(); }},
      {{"allocated_bytes", &Stats::allocated_bytes, &Stats::allocated_peak_bytes},
       {},
       [](Runtime& r) { return r.ledger.allocated.bytes.current(); },
       [](Runtime& r) { return r.ledger.allocated.bytes.peak(); }},
      {{"freed_in_flight_bytes", &Stats::freed_in_flight_bytes, &Stats::freed_in_flight_peak_bytes},
       {},
       [](Runtime& r) { return r.ledger.freed.current(); },
       [](Runtime& r) { return r.ledger.freed.peak(); }},
      {{"committed_bytes", &Stats::committed_bytes, &Stats::committed_peak_bytes},
       {},
       [](Runtime& r) { return r.engine()->committed_bytes(); },
       [](Runtime& r) { return r.ledger.committed_peak_bytes(); }},
      {{"claimed_bytes", &Stats::claimed_bytes, &Stats::claimed_peak_bytes},
       {},
       [](Runtime& r) { return r.ledger.claimed.current(); },
       [](Runtime& r) { return r.ledger.claimed.peak(); }},
      {{"occupied_bytes", nullptr, &Stats::occupied_peak_bytes},
       {},
       nullptr,
       [](Runtime& r) { return r.ledger.occupied.peak(); }},
      {{"operations_in_flight"}, {""}, [](Runtime& r) { return r.engine()->in_flight(); }},
      {{"executing_bytes", &Stats::executing_bytes},
       {"results being made", 1},
       [](Runtime& r) { return r.ledger.executing_bytes(); }},
      {{"untouched_bytes", &Stats::untouched_bytes}, {"not touched yet", -1}, untouched_bytes},
      {{"allocator_cache_bytes"},
       {"kept by the allocator", 1},
       [](Runtime& r) { return r.ledger.idle.bytes.current(); }},
      {{"pinned_bytes"},
       {"pinned host memory", 1},
       [](Runtime& r) {
         const std::uint64_t held = r.held_pinned_bytes.load(std::memory_order_relaxed);
         const std::uint64_t pinned = pinned_bytes();
         return pinned - std::min(pinned, held);
       }},
      {{"bookkeeping_bytes", &Stats::bookkeeping_bytes},
       {"the queue's bookkeeping", 1},
       [](Runtime& r) { return r.bookkeeping_bytes(); }}};
  return table;
}

constexpr std::size_t kPublicFigures = 7;

}  // namespace

std::vector<MemoryFigure> memory_figures() {
  std::vector<MemoryFigure> shown;
  for (std::size_t i = 0; i < kPublicFigures; ++i) shown.push_back(figures()[i].stats);
  return shown;
}

MemoryStats memory_stats() noexcept {
  Runtime* const runtime = Runtime::find();
  if (runtime == nullptr) return {};
  MemoryStats stats;
  for (const auto& [figure, sample, read, read_peak] : figures()) {
    if (figure.current != nullptr) stats.*figure.current = read(*runtime);
    if (figure.peak != nullptr) stats.*figure.peak = read_peak(*runtime);
  }
  for (std::size_t i = 0; i < kTensorClasses; ++i) {
    stats.class_bytes[i] = runtime->ledger.class_bytes(static_cast<TensorClass>(i));
    stats.untouched_class_bytes[i] = runtime->ledger.untouched_bytes(static_cast<TensorClass>(i));
  }
  return stats;
}

// Current values only: workers write these counters, and each read here costs them a transfer
// between CPUs.
std::unique_ptr<memory::Probe> make_memory_probe() {
  std::vector<memory::Column> columns;
  std::vector<Read> reads;
  for (const Figure& figure : figures()) {
    if (figure.sample.label == nullptr) continue;
    columns.emplace_back(figure.stats.name, figure.sample.label, figure.sample.rss_sign);
    reads.push_back(figure.read);
  }
  for (const auto& [_, name, label] : kClasses) {
    columns.emplace_back(std::string(name) + "_bytes", label, 1);
    columns.emplace_back(std::string(name) + "_untouched_bytes");
  }
  return std::make_unique<memory::FunctionProbe>(
      std::move(columns), [reads = std::move(reads)](std::span<memory::Reading> readings) {
        Runtime* const runtime = Runtime::find();
        if (runtime == nullptr) return;
        auto reading = readings.begin();
        for (const Read read_figure : reads) *reading++ = read_figure(*runtime);
        for (const ClassColumn& each : kClasses) {
          *reading++ = runtime->ledger.class_bytes(each.tensor_class);
          *reading++ = runtime->ledger.untouched_bytes(each.tensor_class);
        }
      });
}

}  // namespace runahead::device
