// An ordinary training loop on `acpu`: operations are queued, and a Pacer keeps the loop at most
// two batches ahead of the device. With a folder as its argument it also records the loop.
#include <torch/torch.h>

#include <iostream>
#include <optional>

#include "core/device/device.h"
#include "core/train/pacer.h"
#include "core/train/recording.h"

int main(int argc, char** argv) {
  runahead::register_device();
  const torch::Device device("acpu");
  torch::nn::Sequential model(torch::nn::Linear(64, 256), torch::nn::ReLU(),
                              torch::nn::Linear(256, 1));
  model->to(device);
  torch::optim::SGD optimizer(model->parameters(), 0.01);
  runahead::Pacer pacer(device, {"window", {{"batches", 2}}});

  const auto inputs = torch::randn({1024, 64}).to(device);
  const auto targets = inputs.sum(1, /*keepdim=*/true);
  std::optional<runahead::Recording> recording;
  if (argc > 1) recording.emplace(device, argv[1]);  // For `runahead report`.
  torch::Tensor first, loss;
  for (int batch = 0; batch < 200; ++batch) {
    optimizer.zero_grad();
    loss = torch::mse_loss(model->forward(inputs), targets);
    loss.backward();
    optimizer.step();
    if (batch == 0) first = loss.detach();
    if (recording) recording->batch(inputs.size(0));
    pacer.after_batch(loss);
  }
  const auto first_loss = first.item<double>(), last_loss = loss.item<double>();
  std::cout << "loss " << first_loss << " -> " << last_loss << "; at most "
            << runahead::device::backlog().operations_peak << " operations in flight\n";
  if (recording) recording->finish();
  return last_loss < 0.1 * first_loss ? 0 : 1;
}
