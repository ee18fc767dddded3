#include "core/cuda/cuda_memory.h"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/cuda/active_allocator.h"
#include "core/cuda/context.h"
#include "core/cuda/memory_sources.h"
#include "core/cuda/out_of_memory.h"
#include "core/memory/slow_lane.h"

namespace runahead::cuda {
namespace {

/// Share of one core for costly readings. Each of the three probes gets a third of it.
constexpr double kSlowShare = 0.01;

template <typename Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void put(Json& report, const std::string& name, const std::optional<Peaked>& figure) {
  report[name + "_bytes"] = figure ? Json(figure->current) : Json(nullptr);
  report[name + "_peak_bytes"] = figure ? Json(figure->peak) : Json(nullptr);
}

void put_allocator(Json& report, const std::optional<AllocatorFigures>& figures) {
  const AllocatorFigures values = figures.value_or(AllocatorFigures{});
  const auto counted = [&](const Peaked& value) {
    return figures ? std::optional(value) : std::nullopt;
  };
  report["allocator"] = json_of(active_allocator());
  put(report, "allocated", counted(values.allocated));
  put(report, "reserved", counted(values.reserved));
  put(report, "active", counted(values.active));
  put(report, "requested", values.requested);
  report["num_alloc_retries"] = json_of(values.alloc_retries);
  report["num_ooms"] = json_of(values.out_of_memories);
}

void put_pool(Json& report, const std::optional<PoolFigures>& figures) {
  put(report, "pool_used", figures ? std::optional(figures->used) : std::nullopt);
  put(report, "pool_reserved", figures ? std::optional(figures->reserved) : std::nullopt);
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
    forget_out_of_memory();
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
    figures["used_peak_bytes"] = json_of(used_peak_->highest());
    figures["total_bytes"] = memory ? Json(memory->total) : Json(nullptr);
    put_allocator(figures, allocator);
    put(figures, "pinned", pinned);
    put_pool(figures, pool);
    figures["nvml_process_bytes"] = json_of(process);
    figures["nvml_process_peak_bytes"] = json_of(process_peak_->highest());
    figures["available"] = {
        {"cuda_memory", memory.has_value()},   {"allocator", allocator.has_value()},
        {"pinned_memory", pinned.has_value()}, {"pool", pool.has_value()},
        {"nvml", nvml_.has_value()},           {"nvml_process", process.has_value()}};
    figures["out_of_memory_summary"] = json_of(out_of_memory_summary());
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
