#include "core/train/training_loop.h"

#include <utility>

#include "core/base/clock.h"
#include "core/device/tensor_class.h"

namespace runahead::train {

using device::TensorClass;
using device::TensorClassScope;

TrainingLoop::TrainingLoop(Model& model, torch::optim::Optimizer& optimizer, Loss loss,
                           BatchSource& source, SyncPolicy& policy,
                           std::vector<LoopObserver*> observers)
    : model_(model),
      optimizer_(optimizer),
      loss_(std::move(loss)),
      source_(source),
      policy_(policy),
      observers_(std::move(observers)) {}

void TrainingLoop::run(std::int64_t batches, BatchMeter& meter, TrainingTrace& trace,
                       std::stop_token stop) {
  for (std::int64_t i = 0; i < batches && !stop.stop_requested(); ++i) {
    enter(LoopPhase::kWaitBefore);
    policy_.before_batch();
    enter(LoopPhase::kData);

    Batch batch = next_batch();
    enter(LoopPhase::kIssue);

    trace.batch_bytes = bytes_of(batch);
    trace.batch_kept_bytes = batch.kept_bytes;
    trace.last_loss = step(batch);
    if (!trace.first_loss.defined()) trace.first_loss = trace.last_loss;
    meter.batch_issued(std::move(batch));
    enter(LoopPhase::kWaitAfter);

    policy_.after_batch({.loss = trace.last_loss,
                         .bytes = trace.batch_bytes,
                         .kept_bytes = trace.batch_kept_bytes});
    enter(LoopPhase::kBatchEnd);
  }
}

void TrainingLoop::enter(LoopPhase phase) {
  const TimePoint now = Clock::now();
  for (LoopObserver* observer : observers_) observer->on_phase(phase, now);
}

Batch TrainingLoop::next_batch() {
  const TensorClassScope inputs(TensorClass::kInputs);
  return source_.next();
}

torch::Tensor TrainingLoop::step(const Batch& batch) {
  optimizer_.zero_grad(/*set_to_none=*/true);
  torch::Tensor loss = forward(batch);
  enter(LoopPhase::kIssueBackward);
  backward(loss);
  update();
  return loss.detach();  // The graph holds activations' gradient functions; the value is enough.
}

torch::Tensor TrainingLoop::forward(const Batch& batch) {
  const TensorClassScope activations(TensorClass::kActivations);
  return loss_(model_.forward(batch.inputs), batch.targets);
}

void TrainingLoop::backward(const torch::Tensor& loss) {
  const TensorClassScope gradients(TensorClass::kGradients);
  loss.backward();
}

void TrainingLoop::update() {
  const TensorClassScope optimizer_state(TensorClass::kOptimizerState);
  optimizer_.step();
}

}  // namespace runahead::train
