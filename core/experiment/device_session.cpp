#include "core/experiment/device_session.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <torch/cuda.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/config/experiment_checks.h"
#include "core/device/device.h"
#include "core/device/products/products.h"
#include "core/device/run_ahead_guard.h"
#include "core/memory/heap.h"
#include "core/train/acpu_report.h"
#include "core/train/wait.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using config::LimitConfig;

torch::Device find_cuda(const std::string& name, const std::string& problem) {
  const int count = torch::cuda::device_count();
  const int index = config::cuda_index(name);
  if (count == 0) {
    throw UnavailableError("device '" + name + "': LibTorch found no CUDA device" +
                           (problem.empty() ? " on this machine" : ": " + problem) +
                           "; use cpu or acpu");
  }
  if (index >= count) {
    throw UnavailableError(
        "device '" + name + "': this machine has " +
        (count == 1 ? "cuda:0 alone" : "cuda:0 to cuda:" + std::to_string(count - 1)));
  }
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

torch::Device find_device(const ExperimentConfig& config, const Factories& factories) {
  if (config.device == "cpu") return torch::kCPU;
  if (config.device == "acpu") {
    register_device();
    return torch::Device(config.device);
  }
  config::require_runnable(config, "the config");
  return find_cuda(config.device, factories.cuda_problem);
}

/// The first use of a device may fail even though it was found: another process may have exclusive
/// use of it.
std::unique_ptr<train::BackEnd> find_back_end(const std::string& name, torch::Device device) {
  try {
    // Not all of LibTorch's calls switch to their device, and on another GPU they make a context.
    if (device.is_cuda()) c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
    return train::make_back_end(device);
  } catch (const c10::Error& error) {
    throw UnavailableError("device '" + name +
                           "': it was found and cannot be used: " + error.what_without_backtrace());
  }
}

std::unique_ptr<train::DeviceMemory> find_memory(const Factories& factories, torch::Device device) {
  return factories.device_memory ? factories.device_memory(device) : nullptr;
}

engine::AllocatorSettings allocator_settings(const config::AcpuConfig& acpu) {
  engine::AllocatorSettings settings = engine::parse_allocator_settings(acpu.allocator);
  settings.capacity_bytes = acpu.capacity_bytes;
  return settings;
}

}  // namespace

DeviceSession::DeviceSession(const ExperimentConfig& config, const Factories& factories)
    : config_(config),
      device_(find_device(config, factories)),
      back_end_(find_back_end(config.device, device_)),
      device_memory_(find_memory(factories, device_)) {
  if (!config.sync->ceiling_bytes() || executes_at_issue()) return;
  if (!device_.is_privateuseone()) {
    adaptive_window_ = std::make_unique<train::AdaptiveWindow>();
    return;
  }
  adaptive_depth_ = std::make_unique<train::AdaptiveDepth>(
      workers(), [this](std::uint64_t) { device::set_limit(run_ahead_limit()); });
}

DeviceSession::~DeviceSession() {
  if (!device_.is_privateuseone()) return;
  // The device's observers and handlers end with this object. Each error of a failed run is thrown
  // once; the record has the first.
  for (bool is_given_back = false; !is_given_back;) {
    try {
      device::configure({});
      is_given_back = true;
    } catch (const std::exception&) {
    }
  }
}

void DeviceSession::configure(const ThreadPlacement& placement,
                              std::optional<std::uint64_t> memory_limit_bytes,
                              std::vector<engine::Observer*> observers) {
  if (!device_.is_privateuseone()) return;
  if (adaptive_depth_) observers.push_back(&adaptive_depth_->observer());
  busy_meter_.count_waits_of_this_thread();
  observers.push_back(&busy_meter_);
  if (observers.size() > 1) observers_.emplace(std::move(observers));
  const config::AcpuConfig& acpu = config_.acpu;
  limit_ = find_limit(memory_limit_bytes);
  device::configure(
      {.workers = acpu.workers,
       .ready_order = acpu.ready_order,
       .allocation = acpu.allocation,
       .allocator = allocator_settings(acpu),
       .products = acpu.products,
       .freed_memory = acpu.freed_memory,
       .limit = run_ahead_limit(),
       .intra_op_threads = config_.threads.intra_op,
       .worker_cpus = placement.worker_cpus,
       .observer = observers_ ? static_cast<engine::Observer*>(&*observers_) : &busy_meter_,
       .on_limit_notice = [this](const engine::LimitNotice& notice) { notice_limit(notice); }});
}

void DeviceSession::set_place(std::function<std::string()> place) {
  const std::lock_guard lock(mutex_);
  place_ = std::move(place);
}

void DeviceSession::notice_limit(const engine::LimitNotice& notice) {
  const std::lock_guard lock(mutex_);
  const std::string place = place_ ? place_() : "";
  keep_notice(device::limit_notice_text(notice, device::memory_stats(), place));
}

void DeviceSession::notice_budget(const std::string& text) {
  const std::lock_guard lock(mutex_);
  keep_notice(text);
}

void DeviceSession::keep_notice(const std::string& text) {
  limit_notices_.push_back(text);
  log_warning(text);
}

engine::RunAheadLimit DeviceSession::find_limit(
    std::optional<std::uint64_t> memory_limit_bytes) const {
  const LimitConfig& config = config_.acpu.limit;
  engine::RunAheadLimit limit =
      config.kind == LimitConfig::Kind::kGuard
          ? device::guard_limit(memory_limit_bytes)
          : engine::RunAheadLimit{
                .operations = config.operations, .bytes = config.bytes, .seconds = config.seconds};
  if (const auto ceiling = config_.sync->ceiling_bytes()) {
    limit.bytes = std::min(limit.bytes.value_or(*ceiling), *ceiling);
  }
  return limit;
}

engine::RunAheadLimit DeviceSession::run_ahead_limit() const {
  if (!adaptive_depth_) return limit_;
  engine::RunAheadLimit limit = limit_;
  const std::uint64_t depth = adaptive_depth_->depth();
  limit.operations = std::min(limit.operations.value_or(depth), depth);
  return limit;
}

std::optional<std::uint64_t> DeviceSession::claimed_limit_bytes() const {
  const bool is_predicted = device_.is_privateuseone() && device::predicts_high_water_mark();
  return is_predicted ? std::nullopt : limit_.bytes;
}

int DeviceSession::workers() const noexcept {
  return device::is_blocking_requested() ? 0 : config_.acpu.workers;
}

bool DeviceSession::executes_at_issue() const noexcept {
  return device_.is_cpu() || (device_.is_privateuseone() && workers() == 0);
}

int DeviceSession::executors() const noexcept {
  return device_.is_privateuseone() ? std::max(1, workers()) : 0;
}

void DeviceSession::place(torch::nn::Module& module) const {
  const device::TensorClassScope parameters(device::TensorClass::kParameters);
  if (device_.is_privateuseone()) {
    device::place(module, device_.str());
  } else {
    module.to(device_);
  }
}

void DeviceSession::reset_counters() {
  busy_meter_.reset();
  if (adaptive_depth_) adaptive_depth_->restart_series();
  if (adaptive_window_) adaptive_window_->restart_series();
  if (device_.is_privateuseone()) device::reset_peaks();
  if (device_memory_) device_memory_->reset_peaks();
}

void DeviceSession::trim_memory() const {
  if (device_memory_) device_memory_->trim();
  if (!device_.is_privateuseone()) return memory::trim_heap();
  c10::getDeviceAllocator(device_.type())->emptyCache();  // This trims the heap, too.
}

train::PolicyContext DeviceSession::policy_context(std::ostream& sink, train::Notice on_notice) {
  train::PolicyContext context = train::make_policy_context(*back_end_, sink);
  context.depth = adaptive_depth_.get();
  context.window = adaptive_window_.get();
  context.on_notice = std::move(on_notice);
  return context;
}

std::optional<double> DeviceSession::busy_seconds(TimePoint until) const {
  if (!device_.is_privateuseone()) return std::nullopt;
  return busy_meter_.busy_seconds(until);
}

std::optional<std::uint64_t> DeviceSession::operations_in_flight() const {
  if (!device_.is_privateuseone()) return std::nullopt;
  return device::backlog().operations;
}

std::optional<std::uint64_t> DeviceSession::live_bytes() const {
  if (!device_.is_privateuseone()) return std::nullopt;
  return device::memory_stats().live_bytes;
}

Json DeviceSession::adaptive_choices() const {
  Json series = Json::array();
  for (const auto& [batch, most_in_flight] :
       adaptive_depth_ ? adaptive_depth_->choices() : adaptive_window_->choices()) {
    series.push_back({batch, most_in_flight});
  }
  return {{"ceiling_bytes", config_.sync->ceiling_bytes().value()},
          {adaptive_depth_ ? "operations" : "batches", std::move(series)}};
}

std::vector<std::unique_ptr<memory::Probe>> DeviceSession::make_probes() const {
  std::vector<std::unique_ptr<memory::Probe>> probes;
  if (device_.is_privateuseone()) probes.push_back(device::make_memory_probe());
  if (!device_memory_) return probes;
  for (auto& probe : device_memory_->make_probes()) probes.push_back(std::move(probe));
  return probes;
}

void DeviceSession::report(record::Record& record) const {
  record.results["limit_bytes"] = or_null(limit_.bytes);
  if (adaptive_depth_ || adaptive_window_) record.results["adaptive"] = adaptive_choices();
  {
    const std::lock_guard lock(mutex_);
    record.results["limit_notices"] = limit_notices_;
  }
  if (device_memory_) record.memory.cuda = device_memory_->report();
  if (!device_.is_privateuseone()) return;
  train::report_acpu(record);
  if (const Json products = device::product_report(); !products.is_null()) {
    record.results["products"] = products;
  }
}

}  // namespace runahead::experiment
