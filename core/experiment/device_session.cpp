#include "core/experiment/device_session.h"

#include <torch/cuda.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/device/device.h"
#include "core/device/run_ahead_guard.h"

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
  limit_ = find_limit(memory_limit_bytes);
  device::configure(
      {.workers = acpu.workers,
       .ready_order = to_engine(acpu.ready_order),
       .allocation = to_device(acpu.allocation),
       .limit = limit_,
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
  limit_notices_.push_back(device::limit_notice_text(notice, device::memory_stats(), place));
  log_warning(limit_notices_.back());
}

engine::RunAheadLimit DeviceSession::find_limit(
    std::optional<std::uint64_t> memory_limit_bytes) const {
  const LimitConfig& limit = config_.acpu.limit;
  if (limit.kind == LimitConfig::Kind::kGuard) return device::guard_limit(memory_limit_bytes);
  return {.operations = limit.operations, .bytes = limit.bytes, .seconds = limit.seconds};
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
  record.results["limit_bytes"] = limit_.bytes ? Json(*limit_.bytes) : Json(nullptr);
  if (!device_.is_privateuseone()) return;
  {
    const std::lock_guard lock(mutex_);
    record.results["limit_notices"] = limit_notices_;
  }
  const device::MemoryStats memory = device::memory_stats();
  record.memory.live_peak_bytes = memory.live_peak_bytes;
  record.memory.reserved_peak_bytes = memory.reserved_peak_bytes;
  record.memory.promised_peak_bytes = memory.promised_peak_bytes;
  record.memory.held_peak_bytes = memory.held_peak_bytes;
  record.memory.committed_peak_bytes = memory.committed_peak_bytes;
  record.results["occupied_peak_bytes"] = memory.occupied_peak_bytes;
  record.backlog.operations_peak = device::backlog().operations_peak;
  record.backlog.bytes_peak = memory.claimed_peak_bytes;
  record.backlog.blocking_operators = device::blocking_operators();
}

}  // namespace runahead::experiment
