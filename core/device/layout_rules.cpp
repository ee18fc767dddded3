#include "core/device/layout_rules.h"

#include <ATen/ExpandUtils.h>
#include <ATen/core/Reduction.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

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

ReturnLayouts reduced_loss(c10::ArrayRef<c10::IValue> arguments) {
  const at::Tensor& input = arguments[0].toTensor();
  const at::Tensor& target = arguments[1].toTensor();
  const at::ScalarType dtype = at::promote_types(input.scalar_type(), target.scalar_type());
  const auto broadcast = at::infer_size_dimvector(input.sizes(), target.sizes());
  if (arguments[2].toInt() != at::Reduction::None) return {TensorLayout::contiguous({}, dtype)};
  return {TensorLayout::contiguous(broadcast, dtype)};
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
      {"aten::hardtanh_backward", contiguous_like_second},
      {"aten::hardswish_backward", contiguous_like_second},
      {"aten::log_sigmoid_backward", contiguous_like_second},
      {"aten::mse_loss", reduced_loss},
      {"aten::smooth_l1_loss", reduced_loss},
      {"aten::huber_loss", reduced_loss},
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
  const auto found = rules().find(plan.name);
  if (found != rules().end()) return found->second(arguments);
  const LayoutRule network_rule = network_layout_rule(plan.name);
  return network_rule == nullptr ? std::nullopt : network_rule(arguments);
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
