#include "core/experiment/device_session.h"

#include <torch/cuda.h>

#include <algorithm>
#include <exception>

#include "core/base/error.h"
#include "core/device/device.h"
#include "core/memory/available_memory.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using config::LimitConfig;
using config::SyncPolicyKind;

torch::Device find_cuda(const std::string& name) {
  const torch::Device device(name);
  const auto count = torch::cuda::device_count();
  if (count == 0) {
    throw UnavailableError("device '" + name +
                           "': LibTorch found no CUDA device on this machine; use cpu or acpu");
  }
  if (device.has_index() && device.index() >= count) {
    throw UnavailableError("device '" + name +
                           "': this machine has cuda:0 to cuda:" + std::to_string(count - 1));
  }
  return {torch::kCUDA, device.has_index() ? device.index() : c10::DeviceIndex{0}};
}

void check_cuda(const ExperimentConfig& config) {
  if (config.sync.policy == SyncPolicyKind::kBudget) {
    throw ConfigError(
        "/sync/policy: budget holds operations at their admission, which only device acpu can; "
        "use window, or device acpu");
  }
  if (config.cuda.staging != "pageable" || config.cuda.allocator != "native" ||
      config.cuda.expandable_segments) {
    throw ConfigError(
        "/cuda: only staging pageable, allocator native and expandable_segments false are built");
  }
}

torch::Device find_device(const ExperimentConfig& config) {
  if (config.device == "cpu") return torch::kCPU;
  if (config.device == "acpu") {
    register_device();
    return torch::Device(config.device);
  }
  check_cuda(config);
  return find_cuda(config.device);
}

engine::ReadyOrder to_engine(config::ReadyOrder order) {
  return order == config::ReadyOrder::kFirstReady ? engine::ReadyOrder::kFirstReady
                                                  : engine::ReadyOrder::kOldestFirst;
}

device::Allocation to_device(config::Allocation allocation) {
  switch (allocation) {
    case config::Allocation::kAtIssue:
      return device::Allocation::kAtIssue;
    case config::Allocation::kInStreamOrder:
      return device::Allocation::kInStreamOrder;
    case config::Allocation::kAtExecution:
      break;
  }
  return device::Allocation::kAtExecution;
}

}  // namespace

std::optional<std::uint64_t> guard_bytes(std::optional<std::uint64_t> memory_limit_bytes) {
  std::optional<std::uint64_t> available = memory::available_memory_bytes();
  if (memory_limit_bytes) {
    available = std::min(available.value_or(*memory_limit_bytes), *memory_limit_bytes);
  }
  if (!available) return std::nullopt;
  return static_cast<std::uint64_t>(kGuardShare * static_cast<double>(*available));
}

DeviceSession::DeviceSession(const ExperimentConfig& config)
    : config_(config), device_(find_device(config)), back_end_(train::make_back_end(device_)) {}

DeviceSession::~DeviceSession() {
  if (!device_.is_privateuseone()) return;
  try {
    device::configure({});  // The observer ends with this object.
  } catch (const std::exception&) {
    // A failed run's last error: its record has told of the first.
  }
}

void DeviceSession::configure(const ThreadPlacement& placement,
                              std::optional<std::uint64_t> memory_limit_bytes,
                              engine::Observer* observer) {
  if (!device_.is_privateuseone()) return;
  if (observer != nullptr) {
    observers_.emplace(std::vector<engine::Observer*>{&busy_meter_, observer});
  }
  const config::AcpuConfig& acpu = config_.acpu;
  limit_bytes_ = find_limit(memory_limit_bytes);
  device::configure(
      {.workers = acpu.workers,
       .ready_order = to_engine(acpu.ready_order),
       .allocation = to_device(acpu.allocation),
       .limit = {.operations = acpu.limit.operations,
                 .bytes = limit_bytes_,
                 .seconds = acpu.limit.seconds},
       .intra_op_threads = config_.threads.intra_op,
       .worker_cpus = placement.worker_cpus,
       .observer = observers_ ? static_cast<engine::Observer*>(&*observers_) : &busy_meter_});
}

std::optional<std::uint64_t> DeviceSession::find_limit(
    std::optional<std::uint64_t> memory_limit_bytes) const {
  if (config_.sync.policy == SyncPolicyKind::kBudget) return config_.sync.bytes;
  if (config_.acpu.limit.kind != LimitConfig::Kind::kGuard) return config_.acpu.limit.bytes;
  return guard_bytes(memory_limit_bytes);
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
  if (device_.is_privateuseone()) device::reset_peaks();
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

std::vector<std::unique_ptr<memory::Probe>> DeviceSession::make_probes() const {
  std::vector<std::unique_ptr<memory::Probe>> probes;
  if (device_.is_privateuseone()) probes.push_back(device::make_memory_probe());
  return probes;
}

void DeviceSession::report(record::Record& record) const {
  record.results["limit_bytes"] = limit_bytes_ ? Json(*limit_bytes_) : Json(nullptr);
  if (!device_.is_privateuseone()) return;
  const device::MemoryStats memory = device::memory_stats();
  record.memory.live_peak_bytes = memory.live_peak_bytes;
  record.memory.reserved_peak_bytes = memory.reserved_peak_bytes;
  record.memory.promised_peak_bytes = memory.promised_peak_bytes;
  record.memory.held_peak_bytes = memory.held_peak_bytes;
  record.memory.committed_peak_bytes = memory.committed_peak_bytes;
  record.backlog.operations_peak = device::backlog().operations_peak;
  record.backlog.bytes_peak = memory.claimed_peak_bytes;
  record.backlog.blocking_operators = device::blocking_operators();
}

}  // namespace runahead::experiment
