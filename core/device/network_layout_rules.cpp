#include "core/device/network_layout_rules.h"

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Reduction.h>

#include <algorithm>
#include <unordered_map>

#include "core/device/network_layout_parts.h"

namespace runahead::device {
namespace {

// (grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)
Layouts embedding_backward(Arguments arguments) {
  const at::Tensor& gradient = arguments[0].toTensor();
  return ReturnLayouts{
      TensorLayout::contiguous({arguments[2].toInt(), gradient.size(-1)}, gradient.scalar_type())};
}

// (self, dim, index)
Layouts index_select(Arguments arguments) {
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
Layouts where(Arguments arguments) {
  const bool has_mask = arguments[0].toTensor().scalar_type() == at::kBool;
  if (!has_mask || !are_plain(arguments, {1, 2}) || !are_plain(arguments, {0})) return std::nullopt;
  const at::Tensor& self = arguments[1].toTensor();
  const auto values = at::infer_size_dimvector(self.sizes(), arguments[2].toTensor().sizes());
  return ReturnLayouts{TensorLayout::contiguous(
      at::infer_size_dimvector(arguments[0].toTensor().sizes(), values), self.scalar_type())};
}

// (self, output_size)
Layouts adaptive_average(Arguments arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const auto pooled = arguments[1].toIntVector();
  TORCH_CHECK(pooled.size() > 1, "acpu: the kernel says what is wrong");
  if (!are_plain(arguments, {0})) return std::nullopt;
  if (self.dim() <= static_cast<std::int64_t>(pooled.size())) return std::nullopt;
  at::DimVector sizes(self.sizes().begin(), self.sizes().end());
  std::copy(pooled.begin(), pooled.end(), sizes.end() - static_cast<std::ptrdiff_t>(pooled.size()));
  return ReturnLayouts{TensorLayout::contiguous(sizes, self.scalar_type())};
}

// (grad_output, self)
Layouts adaptive_average_backward(Arguments arguments) {
  if (!are_plain(arguments, {0, 1})) return std::nullopt;
  return ReturnLayouts{contiguous_like(arguments[1])};
}

// (self, target, weight, reduction, ignore_index)
Layouts nll_loss2d(Arguments arguments) {
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

}  // namespace

const NetworkLayoutRule* network_layout_rule(std::string_view operator_name) {
  static const std::unordered_map<std::string_view, NetworkLayoutRule> rules{
      {"aten::convolution", {convolution_layouts, true}},
      {"aten::convolution_backward", {convolution_backward_layouts, true}},
      {"aten::native_layer_norm", {layer_norm_layouts, true}},
      {"aten::native_layer_norm_backward", {layer_norm_backward_layouts, true}},
      {"aten::native_group_norm", {group_norm_layouts, true}},
      {"aten::native_group_norm_backward", {group_norm_backward_layouts, true}},
      {"aten::native_batch_norm", {batch_norm_layouts, true}},
      {"aten::native_batch_norm_backward", {batch_norm_backward_layouts, true}},
      {"aten::_scaled_dot_product_flash_attention_for_cpu", {flash_attention_layouts, true}},
      {"aten::_scaled_dot_product_flash_attention_for_cpu_backward",
       {flash_attention_backward_layouts, true}},
      {"aten::pixel_shuffle", {pixel_shuffle_layouts, true}},
      {"aten::pixel_unshuffle", {pixel_unshuffle_layouts, true}},
      {"aten::channel_shuffle", {channel_shuffle_layouts, true}},
      {"aten::native_channel_shuffle", {channel_shuffle_layouts, true}},
      {"aten::replication_pad2d", {padded_layouts, true}},
      {"aten::replication_pad3d", {padded_layouts, true}},
      {"aten::reflection_pad2d", {padded_layouts, true}},
      {"aten::reflection_pad3d", {padded_layouts, true}},
      {"aten::replication_pad2d_backward", {padded_backward_layouts, true}},
      {"aten::replication_pad3d_backward", {padded_backward_layouts, true}},
      {"aten::reflection_pad2d_backward", {padded_backward_layouts, true}},
      {"aten::reflection_pad3d_backward", {padded_backward_layouts, true}},
      {"aten::embedding_dense_backward", {embedding_backward, false}},
      {"aten::index_select", {index_select, false}},
      {"aten::where.self", {where, false}},
      {"aten::_adaptive_avg_pool2d", {adaptive_average, false}},
      {"aten::_adaptive_avg_pool3d", {adaptive_average, false}},
      {"aten::_adaptive_avg_pool2d_backward", {adaptive_average_backward, false}},
      {"aten::_adaptive_avg_pool3d_backward", {adaptive_average_backward, false}},
      {"aten::nll_loss2d_forward", {nll_loss2d, false}},
  };
  const auto found = rules.find(operator_name);
  return found == rules.end() ? nullptr : &found->second;
}

}  // namespace runahead::device
