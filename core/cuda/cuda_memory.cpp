#include "core/cuda/cuda_memory.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/cuda/active_allocator.h"
#include "core/cuda/context.h"
#include "core/cuda/memory_sources.h"
#include "core/memory/slow_lane.h"

namespace runahead::cuda {
namespace {

/// Share of one core for costly readings. Each of the three probes gets a third of it.
constexpr double kSlowShare = 0.01;

void put(Json& report, const std::string& name, const std::optional<Peaked>& figure) {
  report[name + "_bytes"] = figure ? Json(figure->current) : Json(nullptr);
  report[name + "_peak_bytes"] = figure ? Json(figure->peak) : Json(nullptr);
}

void put_allocator(Json& report, const std::optional<AllocatorFigures>& figures) {
  const AllocatorFigures values = figures.value_or(AllocatorFigures{});
  const auto counted = [&](const Peaked& value) {
    return figures ? std::optional(value) : std::nullopt;
  };
  report["allocator"] = or_null(active_allocator());
  put(report, "allocated", counted(values.allocated));
  put(report, "reserved", counted(values.reserved));
  put(report, "active", counted(values.active));
  put(report, "requested", values.requested);
  report["num_alloc_retries"] = or_null(values.alloc_retries);
  report["num_ooms"] = or_null(values.out_of_memories);
}

void put_pool(Json& report, const std::optional<PoolFigures>& figures) {
  put(report, "pool_used", figures ? std::optional(figures->used) : std::nullopt);
  put(report, "pool_reserved", figures ? std::optional(figures->reserved) : std::nullopt);
}

struct LastSummary {
  std::mutex mutex{};
  std::optional<std::string> text{};  ///< Guarded by mutex.
};

/// Never destroyed, because LibTorch may call the observer until the process ends.
LastSummary& last_summary() {
  static auto* const summary = new LastSummary();
  return *summary;
}

void replace_summary(std::optional<std::string> text) {
  LastSummary& last = last_summary();
  const std::lock_guard lock(last.mutex);
  last.text = std::move(text);
}

std::string peaked_text(const Peaked& figure) {
  return format_bytes(figure.current) + " (at most " + format_bytes(figure.peak) + ")";
}

std::string summary_of(int device, std::size_t asked, std::size_t total, std::size_t free) {
  std::string text = "cuda:" + std::to_string(device) + ": " + format_bytes(asked) +
                     " could not be had: of " + format_bytes(total) + " the device had " +
                     format_bytes(free) + " free";
  const std::optional<AllocatorFigures> figures = allocator_figures(device);
  if (!figures) return text;
  text += "; LibTorch had allocated " + peaked_text(figures->allocated) + ", active " +
          peaked_text(figures->active) + ", reserved " + peaked_text(figures->reserved);
  if (figures->alloc_retries && figures->out_of_memories) {
    text += "; its cache was given back " + std::to_string(*figures->alloc_retries) +
            " times, memory was short " + std::to_string(*figures->out_of_memories) + " times";
  }
  return text;
}

/// Called by the allocator before it throws, without holding its lock.
void note_out_of_memory(std::int64_t device, std::size_t asked, std::size_t total,
                        std::size_t free) noexcept {
  try {
    replace_summary(summary_of(static_cast<int>(device), asked, total, free));
  } catch (const std::exception&) {
    // Host memory may be exhausted, too; the allocator's own error still reports the failure.
  }
}

/// Makes LibTorch's allocator report failed allocations from now until the process ends. Call it
/// after LibTorch's CUDA is initialised, because it covers only the devices that are known by then.
/// Further calls do nothing, and neither does any call if the allocator does not report
/// (`cudaMallocAsync`).
void watch_out_of_memory() {
  static std::once_flag once;
  if (!is_native_allocator()) return;
  std::call_once(
      once, [] { c10::cuda::CUDACachingAllocator::attachOutOfMemoryObserver(note_out_of_memory); });
}

/// A sentence with the allocator's state at the last failed allocation and the size requested;
/// nullopt if no allocation failed or none was watched.
std::optional<std::string> out_of_memory_summary() {
  LastSummary& last = last_summary();
  const std::lock_guard lock(last.mutex);
  return last.text;
}

class CudaMemory final : public train::DeviceMemory {
 public:
  explicit CudaMemory(int device) : device_(device) {
    if (device >= device_count()) return;
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    watch_out_of_memory();
    nvml_ = find_nvml_device(device);
  }

  void reset_peaks() override {
    reset_allocator_figures(device_);
    reset_pinned_peak(device_);
    replace_summary(std::nullopt);
    used_peak_->reset();
    process_peak_->reset();
    if (const auto memory = device_bytes(device_)) used_peak_->note(memory->used);
    if (const auto process = process_bytes()) process_peak_->note(*process);
  }

  void trim() override {
    if (!has_context(device_)) return;
    c10::cuda::CUDACachingAllocator::emptyCache();
    trim_pinned_memory(device_);
  }

  [[nodiscard]] Json report() const override {
    const auto memory = device_bytes(device_);
    const auto allocator = allocator_figures(device_);
    const auto pinned = pinned_bytes(device_);
    const auto pool = pool_figures(device_);
    const auto process = process_bytes();
    // Without sampling, these are the only readings since the peaks were reset.
    if (memory) used_peak_->note(memory->used);
    if (process) process_peak_->note(*process);
    Json figures = Json::object();
    figures["used_bytes"] = memory ? Json(memory->used) : Json(nullptr);
    figures["used_peak_bytes"] = or_null(used_peak_->highest());
    figures["total_bytes"] = memory ? Json(memory->total) : Json(nullptr);
    put_allocator(figures, allocator);
    put(figures, "pinned", pinned);
    put_pool(figures, pool);
    figures["nvml_process_bytes"] = or_null(process);
    figures["nvml_process_peak_bytes"] = or_null(process_peak_->highest());
    figures["available"] = {
        {"cuda_memory", memory.has_value()},   {"allocator", allocator.has_value()},
        {"pinned_memory", pinned.has_value()}, {"pool", pool.has_value()},
        {"nvml", nvml_.has_value()},           {"nvml_process", process.has_value()}};
    figures["out_of_memory_summary"] = or_null(out_of_memory_summary());
    return figures;
  }

  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const override {
    std::vector<std::unique_ptr<memory::Probe>> slow;
    slow.push_back(make_driver_probe(device_, used_peak_));
    slow.push_back(make_pinned_memory_probe(device_));
    slow.push_back(make_nvml_probe(nvml_, process_peak_));
    std::vector<std::unique_ptr<memory::Probe>> probes;
    probes.push_back(make_allocator_probe(device_));
    probes.push_back(make_pool_probe(device_));
    probes.push_back(std::make_unique<memory::SlowLane>(std::move(slow), kSlowShare));
    return probes;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> process_bytes() const {
    return nvml_ ? nvml_->process_bytes() : std::nullopt;
  }

  int device_;
  std::optional<NvmlDevice> nvml_{};
  std::shared_ptr<SampledPeak> used_peak_ = std::make_shared<SampledPeak>();
  std::shared_ptr<SampledPeak> process_peak_ = std::make_shared<SampledPeak>();
};

}  // namespace

std::unique_ptr<train::DeviceMemory> make_device_memory(torch::Device device) {
  RUNAHEAD_REQUIRE(device.is_cuda(), "device '" + device.str() + "' is not a CUDA device");
  return std::make_unique<CudaMemory>(device.has_index() ? device.index() : 0);
}

}  // namespace runahead::cuda
