#include "core/device/layout_rules.h"

#include <ATen/TensorIterator.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "core/device/argument_tensors.h"
#include "core/device/network_layout_rules.h"

namespace runahead::device {
namespace {

using Rule = ReturnLayouts (*)(c10::ArrayRef<c10::IValue> arguments);

// What empty_like gives: the same strides where the tensor is dense, else contiguous ones.
TensorLayout like(const at::Tensor& tensor) {
  if (!tensor.is_non_overlapping_and_dense())
    return TensorLayout::contiguous(tensor.sizes(), tensor.scalar_type());
  TensorLayout layout = TensorLayout::of(tensor);
  layout.storage_offset = 0;
  layout.is_conjugate = false;
  layout.is_negative = false;
  return layout;
}

ReturnLayouts like_first(c10::ArrayRef<c10::IValue> arguments) {
  return {like(arguments[0].toTensor())};
}

ReturnLayouts contiguous_like_second(c10::ArrayRef<c10::IValue> arguments) {
  const at::Tensor& tensor = arguments[1].toTensor();
  return {TensorLayout::contiguous(tensor.sizes(), tensor.scalar_type())};
}

ReturnLayouts like_gradient(c10::ArrayRef<c10::IValue> arguments) {
  const at::Tensor& gradient = arguments[0].toTensor();
  const at::Tensor& self = arguments[1].toTensor();
  return {gradient.sizes() == self.sizes()
              ? like(gradient)
              : TensorLayout::contiguous(self.sizes(), self.scalar_type())};
}

// What LibTorch's kernels give that go over tensors of shapes that broadcast.
TensorLayout elementwise(c10::ArrayRef<c10::IValue> inputs, at::ScalarType dtype) {
  at::TensorIteratorConfig config;
  config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(true);
  config.declare_static_dtype_and_device(dtype, at::kMeta);
  config.add_owned_output(at::Tensor());
  for (const c10::IValue& input : inputs) {
    for_each_tensor(input, [&](const at::Tensor& tensor) {
      config.add_owned_const_input(at::empty_strided(tensor.sizes(), tensor.strides(),
                                                     at::TensorOptions(dtype).device(at::kMeta)));
    });
  }
  return TensorLayout::of(config.build().output());
}

ReturnLayouts reduced_loss(c10::ArrayRef<c10::IValue> arguments) {
  const at::Tensor& input = arguments[0].toTensor();
  const at::Tensor& target = arguments[1].toTensor();
  const at::ScalarType dtype = at::promote_types(input.scalar_type(), target.scalar_type());
  TensorLayout broadcast = elementwise(arguments.slice(0, 2), dtype);
  if (arguments[2].toInt() != at::Reduction::None) return {TensorLayout::contiguous({}, dtype)};
  return {std::move(broadcast)};
}

// (self, target, reduction, delta). What is thrown is left to the kernel to say.
ReturnLayouts huber_loss(c10::ArrayRef<c10::IValue> arguments) {
  TORCH_CHECK(arguments[3].toDouble() > 0);
  return reduced_loss(arguments);
}

// (self, ord, dim, keepdim, dtype, out): LibTorch has given the result its shape before it calls.
std::optional<ReturnLayouts> vector_norm_out(c10::ArrayRef<c10::IValue> arguments) {
  const at::Tensor& out = arguments[5].toTensor();
  const bool is_placeholder = out.sizes() == c10::IntArrayRef({0});
  if (is_placeholder && arguments[0].toTensor().numel() != 0) return std::nullopt;
  return ReturnLayouts{TensorLayout::of(out)};
}

ReturnLayouts contiguous_like_first_twice(c10::ArrayRef<c10::IValue> arguments) {
  const at::Tensor& tensor = arguments[0].toTensor();
  const TensorLayout layout = TensorLayout::contiguous(tensor.sizes(), tensor.scalar_type());
  return {layout, layout};
}

constexpr std::array<std::string_view, 9> kMatrixProducts{
    "aten::mm",          "aten::addmm",     "aten::mm.out", "aten::addmm.out", "aten::bmm.out",
    "aten::baddbmm.out", "aten::addmv.out", "aten::dot",    "aten::vdot"};

const std::unordered_map<std::string_view, Rule>& rules() {
  static const std::unordered_map<std::string_view, Rule> table{
      {"aten::relu", like_first},
      {"aten::hardswish", like_first},
      {"aten::hardtanh", like_first},
      {"aten::_prelu_kernel", like_first},
      {"aten::hardtanh_backward", like_gradient},
      {"aten::hardswish_backward", like_gradient},
      {"aten::log_sigmoid_forward", contiguous_like_first_twice},
      {"aten::log_sigmoid_backward", like_first},
      {"aten::glu_backward", contiguous_like_second},
      {"aten::mse_loss", reduced_loss},
      {"aten::smooth_l1_loss", reduced_loss},
      {"aten::huber_loss", huber_loss},
      {"aten::mse_loss_backward", contiguous_like_second},
      {"aten::smooth_l1_loss_backward", contiguous_like_second},
      {"aten::huber_loss_backward", contiguous_like_second},
      {"aten::_prelu_kernel_backward",
       [](c10::ArrayRef<c10::IValue> arguments) -> ReturnLayouts {
         return {like(arguments[1].toTensor()), like(arguments[1].toTensor())};
       }},
  };
  return table;
}

}  // namespace

std::optional<ReturnLayouts> layouts_by_rule(const OperatorPlan& plan,
                                             c10::ArrayRef<c10::IValue> arguments) {
  if (plan.is_pointwise && plan.has_out_arguments && plan.returns.size() == 1) {
    const auto out = static_cast<std::size_t>(plan.returns[0]);
    const at::ScalarType dtype = arguments[out].toTensor().scalar_type();
    return ReturnLayouts{elementwise(arguments.slice(0, out), dtype)};
  }
  if (plan.name == "aten::linalg_vector_norm.out") return vector_norm_out(arguments);
  const auto found = rules().find(plan.name);
  if (found != rules().end()) return found->second(arguments);
  const NetworkLayoutRule* const network = network_layout_rule(plan.name);
  return network == nullptr ? std::nullopt : network->rule(arguments);
}

bool has_rule_alone(const OperatorPlan& plan) {
  const NetworkLayoutRule* const network = network_layout_rule(plan.name);
  return network != nullptr && network->is_alone;
}

void check_matrix_types(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments) {
  if (std::find(kMatrixProducts.begin(), kMatrixProducts.end(), plan.name) ==
      kMatrixProducts.end()) {
    return;
  }
  const at::Tensor* first = nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isTensor() || plan.arguments[i] != ArgumentUse::kRead) continue;
    const at::Tensor& tensor = arguments[i].toTensor();
    if (first == nullptr) first = &tensor;
    TORCH_CHECK(first->scalar_type() == tensor.scalar_type(), plan.name,
                ": expected tensors of one dtype, but got ", first->scalar_type(), " and ",
                tensor.scalar_type());
  }
}

}  // namespace runahead::device
