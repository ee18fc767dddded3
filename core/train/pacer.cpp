#include "core/train/pacer.h"

#include <c10/util/Exception.h>

#include <iostream>
#include <mutex>
#include <string>

#include "core/device/device.h"
#include "core/train/acpu_observers.h"
#include "core/train/wait.h"

namespace runahead {
namespace {

using train::AdaptiveDepth;

/// Makes `depth` observe the engine until the next one replaces it.
void observe_with(const std::shared_ptr<AdaptiveDepth>& depth) {
  static std::mutex mutex;
  static auto* const present = new std::shared_ptr<AdaptiveDepth>();  // Never freed, as the engine.
  const std::lock_guard lock(mutex);
  const engine::Observer* const before = *present ? &(*present)->observer() : nullptr;
  train::AcpuObservers::get().exchange(
      before, std::shared_ptr<engine::Observer>(depth, &depth->observer()));
  *present = depth;
}

engine::RunAheadLimit present_limit() {
  return device::options().limit.value_or(engine::RunAheadLimit());
}

void bound_bytes(std::uint64_t bytes) {
  device::change_limit([bytes](engine::RunAheadLimit& limit) {
    limit.bytes = bytes;
    limit.notice_bytes = std::nullopt;  // Set by the guard, which no longer applies.
  });
}

void bound_operations(std::uint64_t operations) {
  device::change_limit(
      [operations](engine::RunAheadLimit& limit) { limit.operations = operations; });
}

bool executes_at_issue(torch::Device device) {
  if (!device.is_privateuseone()) return device.is_cpu();
  return device::workers() == 0;
}

}  // namespace

Pacer::Pacer(torch::Device device, const config::SyncConfig& sync)
    : back_end_(train::make_back_end(device)), executes_at_issue_(executes_at_issue(device)) {
  if (device.is_privateuseone()) take_device(*sync.operator->());
  waiter_ = sync->start(context());
  waiter_->before_batch();
}

Pacer::~Pacer() = default;

void Pacer::take_device(const train::SyncPolicy& policy) {
  if (const auto budget = policy.budget_bytes()) bound_bytes(*budget);
  const auto ceiling = policy.ceiling_bytes();
  if (!ceiling) return;
  if (present_limit().bytes.value_or(train::kMostBytes) > *ceiling) bound_bytes(*ceiling);
  if (executes_at_issue_) return;
  depth_ = std::make_shared<AdaptiveDepth>(device::options().workers, bound_operations);
  observe_with(depth_);
}

train::PolicyContext Pacer::context() {
  train::PolicyContext context = train::make_policy_context(*back_end_, std::cout);
  const auto make_wait = [this, of_loss = context.make_wait](train::WaitKind kind) -> train::Wait {
    return [this, wait = of_loss(kind)](const train::IssuedBatch& batch) {
      if (!batch.loss->defined()) return back_end_->synchronize();
      wait(batch);
    };
  };
  context.make_wait = make_wait;
  context.depth = depth_.get();
  if (!depth_ && !executes_at_issue_) context.window = &window_;
  context.on_notice = [](const std::string& text) { TORCH_WARN(text); };
  return context;
}

void Pacer::after_batch(const torch::Tensor& loss, std::uint64_t kept_bytes) {
  const torch::Tensor value = loss.defined() ? loss.detach() : loss;
  waiter_->after_batch({.loss = &value, .kept_bytes = kept_bytes});
  waiter_->before_batch();
}

}  // namespace runahead
