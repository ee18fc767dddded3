#include <torch/nn/module.h>

#include "core/device/device.h"

namespace runahead::device {

void place(torch::nn::Module& module, const std::string& device_name) {
  const at::Device device(device_name);
  module.to(device);
  for (const at::Tensor& parameter : module.parameters()) {
    at::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined()) gradient = gradient.to(device);
  }
}

}  // namespace runahead::device
