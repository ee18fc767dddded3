#include <torch/nn/module.h>

#include "core/base/error.h"
#include "core/device/device.h"

namespace runahead::device {
namespace {

// What Module::to would do with set_data, which refuses tensors of another backend's type.
void move_in_place(at::Tensor& tensor, const at::Device& device) {
  if (!tensor.defined() || tensor.device() == device) return;
  RUNAHEAD_REQUIRE(tensor.is_cpu(),
                   "expected a module on cpu but found a tensor on " + tensor.device().str());
  RUNAHEAD_REQUIRE(!torch::autograd::impl::try_get_grad_accumulator(tensor),
                   "this module has been through a forward with gradients; place it before");
  const torch::NoGradGuard no_grad;
  const at::Tensor moved = tensor.detach().to(device);
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(moved.storage());
  impl->set_sizes_and_strides(moved.sizes(), moved.strides(), moved.storage_offset());
  impl->_change_backend_component_keys(device);
}

}  // namespace

void place(torch::nn::Module& module, const std::string& device_name) {
  const at::Device device(device_name);
  if (device.type() != at::kPrivateUse1) return module.to(device);
  const at::Device indexed(device.type(), 0);
  for (at::Tensor& parameter : module.parameters()) {
    move_in_place(parameter, indexed);
    if (parameter.mutable_grad().defined()) move_in_place(parameter.mutable_grad(), indexed);
  }
  for (at::Tensor& buffer : module.buffers()) move_in_place(buffer, indexed);
}

}  // namespace runahead::device
