#include <ATen/OpMathType.h>

#include <utility>

#include "core/device/layouts/layout_rules.h"

namespace runahead::device {
namespace {

// The gradient of an operand as attention kernels return it: with the heads last.
TensorLayout with_heads_last(const at::Tensor& operand) {
  TensorLayout layout = TensorLayout::contiguous(
      {operand.size(0), operand.size(2), operand.size(1), operand.size(3)}, operand.scalar_type());
  std::swap(layout.sizes[1], layout.sizes[2]);
  std::swap(layout.strides[1], layout.strides[2]);
  return layout;
}

}  // namespace

// (query, key, value, dropout_p, is_causal, …): the result as empty_like creates it from the query,
// and the logarithms of sums, with the heads last.
Layouts flash_attention_layouts(Arguments arguments) {
  const at::Tensor& query = arguments[0].toTensor();
  const bool fits = query.dim() == 4 && arguments[1].toTensor().dim() == 4 &&
                    query.size(-1) == arguments[2].toTensor().size(-1) &&
                    query.is_non_overlapping_and_dense() && query.numel() != 0 &&
                    arguments[3].toDouble() == 0.0;  // The kernel has no dropout.
  if (!fits) return std::nullopt;
  TensorLayout result = TensorLayout::of(query);
  result.storage_offset = 0;
  TensorLayout sums = TensorLayout::contiguous({query.size(0), query.size(2), query.size(1)},
                                               at::toOpMathType(query.scalar_type()));
  std::swap(sums.sizes[1], sums.sizes[2]);
  std::swap(sums.strides[1], sums.strides[2]);
  return ReturnLayouts{result, sums};
}

// (grad_out, query, key, value, …)
Layouts flash_attention_backward_layouts(Arguments arguments) {
  if (!arguments[0].toTensor().defined()) return ReturnLayouts(3);
  ReturnLayouts gradients;
  for (const std::size_t i : {1U, 2U, 3U}) {
    const at::Tensor& operand = arguments[i].toTensor();
    if (operand.dim() != 4 || operand.numel() == 0) return std::nullopt;
    gradients.push_back(with_heads_last(operand));
  }
  return gradients;
}

}  // namespace runahead::device
