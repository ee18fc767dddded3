#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Reduction.h>
#include <ATen/native/TypeProperties.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <array>

#include "core/device/layouts/layout_rules.h"

namespace runahead::device {
namespace {

/// What a kernel that computes in `dtype` reads instead of `tensor`: a copy, which has no memory
/// here, if the type is another one.
c10::IValue converted(const at::Tensor& tensor, at::ScalarType dtype) {
  if (tensor.scalar_type() == dtype) return tensor;
  return at::empty_strided(tensor.sizes(), like(tensor).strides,
                           at::TensorOptions(dtype).device(at::kMeta));
}

}  // namespace

// (grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)
Layouts embedding_backward_layouts(Arguments arguments) {
  const at::Tensor& gradient = arguments[0].toTensor();
  return ReturnLayouts{
      TensorLayout::contiguous({arguments[2].toInt(), gradient.size(-1)}, gradient.scalar_type())};
}

// (self, dim, index)
Layouts index_select_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const at::Tensor& index = arguments[2].toTensor();
  const bool is_index = index.scalar_type() == at::kLong || index.scalar_type() == at::kInt;
  if (self.dim() == 0 || index.dim() > 1 || !is_index) return std::nullopt;
  at::DimVector sizes(self.sizes().begin(), self.sizes().end());
  const std::int64_t dimension = at::maybe_wrap_dim(arguments[1].toInt(), self.dim());
  sizes[static_cast<std::size_t>(dimension)] = index.numel();
  return ReturnLayouts{TensorLayout::contiguous(sizes, self.scalar_type())};
}

// (condition, self, other)
Layouts where_layouts(Arguments arguments) {
  if (arguments[0].toTensor().scalar_type() != at::kBool) return std::nullopt;
  const at::Tensor& self = arguments[1].toTensor();
  const at::Tensor& other = arguments[2].toTensor();
  if (are_plain(arguments, {1, 2}) && are_plain(arguments, {0})) {
    const auto values = at::infer_size_dimvector(self.sizes(), other.sizes());
    const auto sizes = at::infer_size_dimvector(arguments[0].toTensor().sizes(), values);
    return ReturnLayouts{TensorLayout::contiguous(sizes, self.scalar_type())};
  }
  const at::ScalarType dtype = at::native::result_type(self, other);
  const std::array inputs{arguments[0], converted(self, dtype), converted(other, dtype)};
  return ReturnLayouts{elementwise_layout(inputs, dtype)};
}

// (self, output_size)
Layouts adaptive_average_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const auto pooled = arguments[1].toIntVector();
  TORCH_CHECK(pooled.size() > 1, "acpu: the kernel says what is wrong");
  const auto pooled_dimensions = static_cast<std::int64_t>(pooled.size());
  const bool fits = self.dim() == pooled_dimensions + 1 || self.dim() == pooled_dimensions + 2;
  if (!fits || !are_plain(arguments, {0})) return std::nullopt;
  at::DimVector sizes(self.sizes().begin(), self.sizes().end());
  std::copy(pooled.begin(), pooled.end(), sizes.end() - static_cast<std::ptrdiff_t>(pooled.size()));
  return ReturnLayouts{TensorLayout::contiguous(sizes, self.scalar_type())};
}

// (grad_output, self)
Layouts adaptive_average_backward_layouts(Arguments arguments) {
  if (!are_plain(arguments, {0, 1})) return std::nullopt;
  return ReturnLayouts{contiguous_like(arguments[1])};
}

// (self, target, weight, reduction, ignore_index)
Layouts nll_loss2d_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const at::Tensor& target = arguments[1].toTensor();
  const bool fits = self.dim() == 4 && target.dim() == 3 && target.size(0) == self.size(0) &&
                    target.sizes().slice(1) == self.sizes().slice(2) &&
                    is_absent_or(arguments[2], self.size(1));
  if (!fits) return std::nullopt;
  const auto scalar = TensorLayout::contiguous({}, self.scalar_type());
  if (arguments[3].toInt() != at::Reduction::None) return ReturnLayouts{scalar, scalar};
  return ReturnLayouts{TensorLayout::contiguous(target.sizes(), self.scalar_type()), scalar};
}

// (grad_output, self, target, weight, reduction, …): the kernel of a reduced loss takes contiguous
// tensors only.
Layouts nll_loss2d_backward_layouts(Arguments arguments) {
  const at::Tensor& self = arguments[1].toTensor();
  const bool is_reduced = arguments[4].toInt() != at::Reduction::None;
  if (self.dim() != 4 || (is_reduced && !self.is_contiguous())) return std::nullopt;
  return ReturnLayouts{like(self)};
}

// (self, num_samples, replacement, generator, out or nothing)
Layouts multinomial_layouts(Arguments arguments) {
  constexpr std::int64_t kMostCategories = std::int64_t{1} << 24;
  const at::Tensor& self = arguments[0].toTensor();
  const std::int64_t samples = arguments[1].toInt();
  const bool fits = (self.dim() == 1 || self.dim() == 2) && samples > 0 &&
                    (arguments[2].toBool() || samples <= self.size(-1)) &&
                    self.size(-1) <= kMostCategories;
  const bool has_other_out =
      arguments.size() > 4 && arguments[4].toTensor().scalar_type() != at::kLong;
  TORCH_CHECK(fits && !has_other_out, "acpu: the kernel says what is wrong");
  at::DimVector sizes(self.sizes());
  sizes.back() = samples;
  return ReturnLayouts{TensorLayout::contiguous(sizes, at::kLong)};
}

}  // namespace runahead::device
