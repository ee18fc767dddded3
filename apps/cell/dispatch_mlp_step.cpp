#include "apps/cell/dispatch_mlp_step.h"

#include <torch/autograd.h>

#include <algorithm>
#include <atomic>

#include "core/base/error.h"
#include "core/device/device.h"
#include "core/engine/observer.h"
#include "core/train/optimizer.h"
#include "models/mlp.h"

namespace runahead::cell {
namespace {

constexpr std::int64_t kFeatures = 8;
constexpr std::int64_t kBatchSize = 4;
constexpr std::uint64_t kSeed = 0;
constexpr std::int64_t kHops = 2000;

constexpr std::array<StepPart, kStepParts> kPartsInOrder{StepPart::kForward, StepPart::kBackward,
                                                         StepPart::kOptimizer};

class PushCounter final : public engine::Observer {
 public:
  void on_push(const engine::OperationEvent&) noexcept override { ++count_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  std::atomic<std::uint64_t> count_{0};
};

void issue_step(MlpStep& step) {
  for (const StepPart part : kPartsInOrder) step.issue(part);
}

/// Measures `kHops` backwards through one view, which change no gradient.
LoopFigures measure_backwards(torch::Device device) {
  const torch::Tensor input = torch::ones({kFeatures}).to(device).requires_grad_();
  const torch::Tensor view = input.view({kFeatures, 1});
  const torch::Tensor gradient = torch::ones({kFeatures, 1}).to(device);
  const auto backward = [&] {
    static_cast<void>(torch::autograd::grad({view}, {input}, {gradient}, /*retain_graph=*/true));
  };
  for (std::int64_t i = 0; i < kHops / kWarmupShare; ++i) backward();
  LoopFigures figures;
  OnceTimer timer;
  for (std::int64_t i = 0; i < kHops; ++i) backward();
  timer.note_issued();
  timer.finish(kHops, figures);
  return figures;
}

}  // namespace

MlpStep::MlpStep(torch::Device device) : loss_function_(train::make_loss(config::LossKind::kL2)) {
  config::ModelConfig config;
  config.layers = {kFeatures, 1};
  model_ = std::make_unique<models::Mlp>(config, kFeatures, kSeed);
  if (device.is_privateuseone()) device::place(model_->module(), device.str());
  optimizer_ = train::make_optimizer({}, model_->parameters());
  inputs_ = torch::randn({kBatchSize, kFeatures}).to(device);
  targets_ = torch::ones({kBatchSize, 1}).to(device);
}

void MlpStep::issue(StepPart part) {
  switch (part) {
    case StepPart::kForward:
      loss_ = loss_function_(model_->forward(inputs_), targets_);
      return;
    case StepPart::kBackward:
      loss_.backward();
      return;
    case StepPart::kOptimizer:
      optimizer_->step();
      train::drop_gradients(*optimizer_);
      return;
  }
  throw UsageError("MlpStep::issue: the part is out of its range");
}

StepFigures measure(MlpStep& step, std::int64_t steps, train::BackEnd& back_end) {
  for (std::int64_t i = 0; i < steps / kWarmupShare; ++i) issue_step(step);
  back_end.synchronize();

  const double us_per_second = kMicrosecondsPerSecond / static_cast<double>(steps);
  StepFigures figures;
  OnceTimer timer;
  TimePoint part_begun = timer.begun();
  for (std::int64_t i = 0; i < steps; ++i) {
    for (std::size_t part = 0; part < kStepParts; ++part) {
      step.issue(kPartsInOrder[part]);
      const TimePoint part_issued = Clock::now();
      figures.part_issue_us[part] += seconds_between(part_begun, part_issued) * us_per_second;
      part_begun = part_issued;
    }
  }
  timer.note_issued(part_begun);
  back_end.synchronize();
  timer.finish(steps, figures);

  const TimePoint waited_begun = Clock::now();
  for (std::int64_t i = 0; i < steps; ++i) {
    issue_step(step);
    back_end.synchronize();
  }
  figures.waited_us = seconds_between(waited_begun, Clock::now()) * us_per_second;
  return figures;
}

std::array<std::uint64_t, kStepParts> count_operations(MlpStep& step) {
  PushCounter counter;
  device::configure({.observer = &counter});
  std::array<std::uint64_t, kStepParts> counts{};
  for (std::size_t part = 0; part < kStepParts; ++part) {
    const std::uint64_t before = counter.count();
    step.issue(kPartsInOrder[part]);
    counts[part] = counter.count() - before;
  }
  device::configure({});
  return counts;
}

BackwardHop measure_backward_hop(torch::Device device) {
  const LoopFigures on_device = measure_backwards(device);
  const LoopFigures on_cpu = measure_backwards(torch::kCPU);
  return {
      .us = on_device.issue_us - on_cpu.issue_us,
      .front_end_cpu_share = std::min(on_device.front_end_cpu_share, on_cpu.front_end_cpu_share)};
}

}  // namespace runahead::cell
