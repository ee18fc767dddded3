#include "core/train/training_loop.h"

#include <utility>

#include "core/base/clock.h"
#include "core/device/tensor_class.h"

namespace runahead::train {

using device::TensorClass;
using device::TensorClassScope;

TrainingLoop::TrainingLoop(Model& model, torch::optim::Optimizer& optimizer, Loss loss,
                           BatchSource& source, SyncPolicy& policy)
    : model_(model),
      optimizer_(optimizer),
      loss_(std::move(loss)),
      source_(source),
      policy_(policy) {}

void TrainingLoop::run(std::int64_t batches, BatchMeter& meter, TrainingTrace& trace,
                       std::stop_token stop) {
  for (std::int64_t i = 0; i < batches && !stop.stop_requested(); ++i) {
    const TimePoint begun = Clock::now();
    policy_.before_batch();
    const TimePoint admitted = Clock::now();

    Batch batch = next_batch();
    const TimePoint made = Clock::now();

    trace.batch_bytes = batch.inputs.nbytes() + batch.targets.nbytes();
    trace.last_loss = step(batch);
    if (!trace.first_loss.defined()) trace.first_loss = trace.last_loss;
    meter.batch_issued(std::move(batch));
    const TimePoint issued = Clock::now();

    policy_.after_batch(trace.last_loss);
    trace.times.data.push_back(seconds_between(admitted, made));
    trace.times.step.push_back(seconds_between(made, issued));
    trace.times.wait.push_back(seconds_between(begun, admitted) +
                               seconds_between(issued, Clock::now()));
  }
}

Batch TrainingLoop::next_batch() {
  const TensorClassScope inputs(TensorClass::kInputs);
  return source_.next();
}

torch::Tensor TrainingLoop::step(const Batch& batch) {
  optimizer_.zero_grad(/*set_to_none=*/true);
  torch::Tensor loss = forward(batch);
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
