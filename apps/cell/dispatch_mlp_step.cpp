#include "apps/cell/dispatch_mlp_step.h"

#include <torch/autograd.h>

#include <atomic>

#include "apps/cell/dispatch_loop.h"
#include "core/base/clock.h"
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

/// The time in seconds of `kHops` backwards through one view, which change no gradient.
double seconds_of_backwards(torch::Device device) {
  const torch::Tensor input = torch::ones({kFeatures}).to(device).requires_grad_();
  const torch::Tensor view = input.view({kFeatures, 1});
  const torch::Tensor gradient = torch::ones({kFeatures, 1}).to(device);
  const auto backward = [&] {
    static_cast<void>(torch::autograd::grad({view}, {input}, {gradient}, /*retain_graph=*/true));
  };
  for (std::int64_t i = 0; i < kHops / kWarmupShare; ++i) backward();
  const TimePoint begun = Clock::now();
  for (std::int64_t i = 0; i < kHops; ++i) backward();
  return seconds_between(begun, Clock::now());
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
  const TimePoint begun = Clock::now();
  TimePoint part_begun = begun;
  for (std::int64_t i = 0; i < steps; ++i) {
    for (std::size_t part = 0; part < kStepParts; ++part) {
      step.issue(kPartsInOrder[part]);
      const TimePoint part_issued = Clock::now();
      figures.part_issue_us[part] += seconds_between(part_begun, part_issued) * us_per_second;
      part_begun = part_issued;
    }
  }
  figures.issue_us = seconds_between(begun, part_begun) * us_per_second;
  back_end.synchronize();
  figures.total_us = seconds_between(begun, Clock::now()) * us_per_second;

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

double measure_backward_hop_us(torch::Device device) {
  return (seconds_of_backwards(device) - seconds_of_backwards(torch::kCPU)) *
         kMicrosecondsPerSecond / static_cast<double>(kHops);
}

}  // namespace runahead::cell
