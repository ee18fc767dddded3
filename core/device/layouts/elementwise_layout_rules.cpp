#include <ATen/ExpandUtils.h>
#include <ATen/TensorIterator.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/empty_strided.h>

#include <array>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/layouts/layout_rules.h"

namespace runahead::device {
namespace {

// Whether every tensor broadcasts to the shape of the tensor at `position`.
bool all_broadcast_to(Arguments arguments, std::size_t position) {
  const c10::IntArrayRef sizes = arguments[position].toTensor().sizes();
  bool fit = true;
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      fit &= at::is_expandable_to(tensor.sizes(), sizes);
    });
  }
  return fit;
}

}  // namespace

TensorLayout like(const at::Tensor& tensor) {
  TensorLayout layout = TensorLayout::of(tensor);
  if (!tensor.is_non_overlapping_and_dense()) {
    layout.strides = at::DimVector(at::infer_dense_strides(tensor.sizes(), tensor.strides()));
  }
  layout.storage_offset = 0;
  layout.is_conjugate = false;
  layout.is_negative = false;
  return layout;
}

Layouts like_first_layouts(Arguments arguments) {
  if (!all_broadcast_to(arguments, 0)) return std::nullopt;
  return ReturnLayouts{like(arguments[0].toTensor())};
}

// (self)
Layouts elementwise_first_layouts(Arguments arguments) {
  return ReturnLayouts{
      elementwise_layout(arguments.slice(0, 1), arguments[0].toTensor().scalar_type())};
}

// (self, dims). Errors are left to the kernel to report.
Layouts flip_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const auto dimensions = static_cast<size_t>(self.dim());
  static_cast<void>(at::dim_list_to_bitset(arguments[1].toDimVector(), dimensions));  // Checks.
  return ReturnLayouts{like(self)};
}

Layouts like_second_layouts(Arguments arguments) {
  if (!all_broadcast_to(arguments, 1)) return std::nullopt;
  return ReturnLayouts{like(arguments[1].toTensor())};
}

Layouts contiguous_like_second_layouts(Arguments arguments) {
  return ReturnLayouts{contiguous_like(arguments[1])};
}

// (gradient, self, target, …)
Layouts loss_backward_layouts(Arguments arguments) {
  if (!all_broadcast_to(arguments, 1)) return std::nullopt;
  return ReturnLayouts{contiguous_like(arguments[1])};
}

// (gradient, self, …)
Layouts elementwise_backward_layouts(Arguments arguments) {
  return ReturnLayouts{
      elementwise_layout(arguments.slice(0, 2), arguments[1].toTensor().scalar_type())};
}

TensorLayout elementwise_layout(Arguments inputs, at::ScalarType dtype) {
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

// (input, target, reduction)
Layouts reduced_loss_layouts(Arguments arguments) {
  const at::Tensor& input = arguments[0].toTensor();
  const at::Tensor& target = arguments[1].toTensor();
  const at::ScalarType dtype = at::promote_types(input.scalar_type(), target.scalar_type());
  TensorLayout broadcast = elementwise_layout(arguments.slice(0, 2), dtype);
  if (arguments[2].toInt() != at::Reduction::None) {
    return ReturnLayouts{TensorLayout::contiguous({}, dtype)};
  }
  const bool are_alike = input.sizes() == target.sizes() && input.strides() == target.strides();
  if (!are_alike && !(input.is_contiguous() && target.is_contiguous())) return std::nullopt;
  return ReturnLayouts{std::move(broadcast)};
}

// (self, target, reduction, delta or beta). Errors are left to the kernel to report.
Layouts threshold_loss_layouts(Arguments arguments) {
  TORCH_CHECK(arguments[3].toDouble() > 0);
  return reduced_loss_layouts(arguments);
}

// (self, target, reduction, delta). The kernel makes its result like self, not like both.
Layouts huber_loss_layouts(Arguments arguments) {
  const Layouts reduced = threshold_loss_layouts(arguments);  // Checks.
  if (arguments[2].toInt() != at::Reduction::None) return reduced;
  if (!are_of_one_dtype(arguments, {0, 1}) || !all_broadcast_to(arguments, 0)) return std::nullopt;
  return ReturnLayouts{like(arguments[0].toTensor())};
}

// (self, mat1, mat2, beta, alpha, out or nothing)
Layouts addmm_layouts(Arguments arguments) {
  const at::Tensor& left = arguments[1].toTensor();
  const at::Tensor& right = arguments[2].toTensor();
  const bool is_product = are_of_one_dtype(arguments, {0, 1, 2}) && left.dim() == 2 &&
                          right.dim() == 2 && left.size(1) == right.size(0);
  if (!is_product) return std::nullopt;
  const at::DimVector sizes{left.size(0), right.size(1)};
  if (!at::is_expandable_to(arguments[0].toTensor().sizes(), sizes)) return std::nullopt;
  return ReturnLayouts{TensorLayout::contiguous(sizes, left.scalar_type())};
}

// (self, target, weight, reduction)
Layouts binary_cross_entropy_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const auto weight = optional_tensor(arguments[2]);
  const bool fits = are_of_one_dtype(arguments, {0, 1, 2}) &&
                    self.sizes() == arguments[1].toTensor().sizes() &&
                    (!weight || at::is_expandable_to(weight->sizes(), self.sizes()));
  if (!fits) return std::nullopt;
  if (arguments[3].toInt() == at::Reduction::None) return ReturnLayouts{like(self)};
  return ReturnLayouts{TensorLayout::contiguous({}, self.scalar_type())};
}

Layouts contiguous_like_first_twice_layouts(Arguments arguments) {
  const TensorLayout layout = contiguous_like(arguments[0]);
  return ReturnLayouts{layout, layout};
}

// (gradient, self, weight)
Layouts prelu_backward_layouts(Arguments arguments) {
  const std::array inputs{arguments[1], arguments[2], arguments[0]};  // In the kernel's order.
  const TensorLayout layout = elementwise_layout(inputs, arguments[1].toTensor().scalar_type());
  return ReturnLayouts{layout, layout};
}

}  // namespace runahead::device
