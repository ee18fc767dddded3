#include "core/train/training_loop.h"

#include <utility>

#include "core/device/storage/tensor_class.h"
#include "core/train/optimizer.h"

namespace runahead::train {

using device::TensorClass;
using device::TensorClassScope;

TrainingLoop::TrainingLoop(Model& model, torch::optim::Optimizer& optimizer, Loss loss,
                           BatchSource& source, Waiter& waiter,
                           std::vector<LoopObserver*> observers)
    : BatchLoop(source, waiter, std::move(observers)),
      model_(model),
      optimizer_(optimizer),
      loss_(std::move(loss)) {}

torch::Tensor TrainingLoop::issue(const Batch& batch) {
  drop_gradients(optimizer_);
  torch::Tensor loss = forward(batch);
  enter(LoopPhase::kIssueBackward);
  backward(loss);
  update();
  return loss.detach();  // The graph keeps activations' gradient functions; the value is enough.
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
