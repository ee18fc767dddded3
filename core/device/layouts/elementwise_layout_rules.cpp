#include <ATen/ExpandUtils.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/WrapDimMinimal.h>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/layouts/layout_rules.h"

namespace runahead::device {
namespace {

// What empty_like returns: the same strides if the tensor is dense, otherwise dense ones in the
// same order of dimensions.
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

// The sizes left after these dimensions are reduced; all of them, if none is named.
at::DimVector reduced_sizes(const at::Tensor& self, const c10::IValue& dimensions,
                            bool keeps_dimensions) {
  const auto rank = static_cast<std::size_t>(self.dim());
  const bool names_some = dimensions.isIntList() && !dimensions.toIntVector().empty();
  std::vector<bool> is_reduced(rank, !names_some);
  if (names_some && rank > 0) {
    for (const std::int64_t dimension : dimensions.toIntVector()) {
      is_reduced[static_cast<std::size_t>(c10::maybe_wrap_dim(dimension, self.dim()))] = true;
    }
  }
  at::DimVector sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!is_reduced[i]) sizes.push_back(self.sizes()[i]);
    if (is_reduced[i] && keeps_dimensions) sizes.push_back(1);
  }
  return sizes;
}

}  // namespace

Layouts like_first_layouts(Arguments arguments) {
  return ReturnLayouts{like(arguments[0].toTensor())};
}

Layouts contiguous_like_second_layouts(Arguments arguments) {
  return ReturnLayouts{contiguous_like(arguments[1])};
}

Layouts like_gradient_layouts(Arguments arguments) {
  const at::Tensor& gradient = arguments[0].toTensor();
  const at::Tensor& self = arguments[1].toTensor();
  const bool are_alike =
      gradient.strides() == self.strides() && gradient.is_non_overlapping_and_dense();
  return ReturnLayouts{gradient.sizes() == self.sizes() && are_alike
                           ? like(gradient)
                           : elementwise_layout(arguments.slice(0, 2), self.scalar_type())};
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
  return ReturnLayouts{std::move(broadcast)};
}

// (self, target, reduction, delta). Errors are left to the kernel to report.
Layouts huber_loss_layouts(Arguments arguments) {
  TORCH_CHECK(arguments[3].toDouble() > 0);
  return reduced_loss_layouts(arguments);
}

// (self, ord, dim, keepdim, dtype, out): LibTorch shapes the result before it calls; a user may
// have passed another shape.
Layouts vector_norm_out_layouts(Arguments arguments) {
  const at::Tensor& out = arguments[5].toTensor();
  const at::DimVector sizes =
      reduced_sizes(arguments[0].toTensor(), arguments[2], arguments[3].toBool());
  if (out.sizes() != c10::IntArrayRef(sizes)) return std::nullopt;
  return ReturnLayouts{TensorLayout::of(out)};
}

Layouts contiguous_like_first_twice_layouts(Arguments arguments) {
  const TensorLayout layout = contiguous_like(arguments[0]);
  return ReturnLayouts{layout, layout};
}

Layouts like_second_twice_layouts(Arguments arguments) {
  const TensorLayout layout = like(arguments[1].toTensor());
  return ReturnLayouts{layout, layout};
}

}  // namespace runahead::device
