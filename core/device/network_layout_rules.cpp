#include "core/device/network_layout_rules.h"

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Reduction.h>

#include <algorithm>
#include <initializer_list>
#include <unordered_map>
#include <vector>

namespace runahead::device {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;
using Layouts = std::optional<ReturnLayouts>;

std::optional<at::Tensor> optional_tensor(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return std::nullopt;
  return value.toTensor();
}

// Whether the tensors that are there are contiguous and of one dtype.
bool are_plain(Arguments arguments, std::initializer_list<std::size_t> positions) {
  std::optional<at::ScalarType> dtype;
  for (const std::size_t i : positions) {
    const auto tensor = optional_tensor(arguments[i]);
    if (!tensor) continue;
    if (!tensor->is_contiguous() || (dtype && *dtype != tensor->scalar_type())) return false;
    dtype = tensor->scalar_type();
  }
  return true;
}

// Whether a parameter is absent or has these sizes. The kernel says what is wrong with others.
bool is_absent_or(const c10::IValue& value, c10::IntArrayRef sizes) {
  const auto tensor = optional_tensor(value);
  return !tensor || tensor->sizes() == sizes;
}

TensorLayout contiguous_like(const c10::IValue& value) {
  const at::Tensor& tensor = value.toTensor();
  return TensorLayout::contiguous(tensor.sizes(), tensor.scalar_type());
}

// One layout for each gradient that the mask asks for.
ReturnLayouts masked(const c10::List<bool>& mask, ReturnLayouts gradients) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!mask.get(i)) gradients[i] = std::nullopt;
  }
  return gradients;
}

std::int64_t at_dimension(const std::vector<std::int64_t>& values, std::size_t dimension) {
  return values[values.size() == 1 ? 0 : dimension];
}

// (input, weight, bias, stride, padding, dilation, is_transposed, output_padding, groups), as in
// torch.nn.Conv2d's and torch.nn.ConvTranspose2d's documentation.
Layouts convolution(Arguments arguments) {
  const at::Tensor& input = arguments[0].toTensor();
  const at::Tensor& weight = arguments[1].toTensor();
  if (!are_plain(arguments, {0, 1, 2}) || input.dim() != weight.dim()) return std::nullopt;
  const auto stride = arguments[3].toIntVector();
  const auto padding = arguments[4].toIntVector();
  const auto dilation = arguments[5].toIntVector();
  const bool is_transposed = arguments[6].toBool();
  const auto output_padding = arguments[7].toIntVector();
  const std::int64_t groups = arguments[8].toInt();
  const std::int64_t channels = is_transposed ? weight.size(1) * groups : weight.size(0);
  const std::int64_t expected = is_transposed ? weight.size(0) : weight.size(1) * groups;
  if (input.size(1) != expected || !is_absent_or(arguments[2], channels)) return std::nullopt;
  at::DimVector sizes{input.size(0), channels};
  for (std::int64_t i = 2; i < input.dim(); ++i) {
    const auto d = static_cast<std::size_t>(i - 2);
    const std::int64_t span = at_dimension(dilation, d) * (weight.size(i) - 1);
    const std::int64_t margin = 2 * at_dimension(padding, d);
    const std::int64_t step = at_dimension(stride, d);
    if (step <= 0) return std::nullopt;
    sizes.push_back(is_transposed ? (input.size(i) - 1) * step - margin + span +
                                        at_dimension(output_padding, d) + 1
                                  : (input.size(i) + margin - span - 1) / step + 1);
    if (sizes.back() <= 0) return std::nullopt;
  }
  return ReturnLayouts{TensorLayout::contiguous(sizes, input.scalar_type())};
}

// (grad_output, input, weight, bias_sizes, …, output_mask)
Layouts convolution_backward(Arguments arguments) {
  if (!are_plain(arguments, {0, 1, 2})) return std::nullopt;
  const at::Tensor& gradient = arguments[0].toTensor();
  return masked(arguments[10].toBoolList(),
                {contiguous_like(arguments[1]), contiguous_like(arguments[2]),
                 TensorLayout::contiguous(gradient.size(1), gradient.scalar_type())});
}

// (input, normalized_shape, weight, bias, eps)
Layouts layer_norm(Arguments arguments) {
  if (!are_plain(arguments, {0, 2, 3})) return std::nullopt;
  const at::Tensor& input = arguments[0].toTensor();
  const auto normalized = arguments[1].toIntVector();
  const auto rank = static_cast<std::size_t>(input.dim());
  const bool fits = normalized.size() <= rank &&
                    input.sizes().slice(rank - normalized.size()) == c10::IntArrayRef(normalized) &&
                    is_absent_or(arguments[2], normalized) &&
                    is_absent_or(arguments[3], normalized);
  if (!fits) return std::nullopt;
  at::DimVector statistics(input.sizes().begin(), input.sizes().end());
  std::fill(statistics.end() - static_cast<std::ptrdiff_t>(normalized.size()), statistics.end(), 1);
  const auto layout = TensorLayout::contiguous(statistics, input.scalar_type());
  return ReturnLayouts{contiguous_like(arguments[0]), layout, layout};
}

// (grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask)
Layouts layer_norm_backward(Arguments arguments) {
  if (!are_plain(arguments, {0, 1, 5, 6})) return std::nullopt;
  const auto parameters =
      TensorLayout::contiguous(arguments[2].toIntVector(), arguments[1].toTensor().scalar_type());
  return masked(arguments[7].toBoolList(), {contiguous_like(arguments[1]), parameters, parameters});
}

// (input, weight, bias, N, C, HxW, group, eps)
Layouts group_norm(Arguments arguments) {
  const std::int64_t channels = arguments[4].toInt();
  if (!are_plain(arguments, {0, 1, 2}) || !is_absent_or(arguments[1], channels) ||
      !is_absent_or(arguments[2], channels)) {
    return std::nullopt;
  }
  const auto statistics = TensorLayout::contiguous({arguments[3].toInt(), arguments[6].toInt()},
                                                   arguments[0].toTensor().scalar_type());
  return ReturnLayouts{contiguous_like(arguments[0]), statistics, statistics};
}

// (grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask)
Layouts group_norm_backward(Arguments arguments) {
  if (!are_plain(arguments, {0, 1, 4})) return std::nullopt;
  const auto parameters =
      TensorLayout::contiguous(arguments[6].toInt(), arguments[1].toTensor().scalar_type());
  return masked(arguments[9].toBoolList(), {contiguous_like(arguments[1]), parameters, parameters});
}

// (input, weight, bias, running_mean, running_var, training, momentum, eps)
Layouts batch_norm(Arguments arguments) {
  const at::Tensor& input = arguments[0].toTensor();
  const bool is_training = arguments[5].toBool();
  if (!is_training || input.dim() < 2 || !are_plain(arguments, {0, 1, 2, 3, 4})) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i <= 4; ++i) {
    if (!is_absent_or(arguments[i], input.size(1))) return std::nullopt;
  }
  const auto statistics = TensorLayout::contiguous(input.size(1), input.scalar_type());
  return ReturnLayouts{contiguous_like(arguments[0]), statistics, statistics};
}

// (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, mask)
Layouts batch_norm_backward(Arguments arguments) {
  if (!are_plain(arguments, {0, 1, 2, 3, 4, 5, 6})) return std::nullopt;
  const at::Tensor& input = arguments[1].toTensor();
  const auto parameters = TensorLayout::contiguous(input.size(1), input.scalar_type());
  return masked(arguments[9].toBoolList(), {contiguous_like(arguments[1]), parameters, parameters});
}

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
  if (!are_plain(arguments, {0})) return std::nullopt;
  const at::Tensor& self = arguments[0].toTensor();
  const auto pooled = arguments[1].toIntVector();
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

LayoutRule network_layout_rule(std::string_view operator_name) {
  static const std::unordered_map<std::string_view, LayoutRule> rules{
      {"aten::convolution", convolution},
      {"aten::convolution_backward", convolution_backward},
      {"aten::native_layer_norm", layer_norm},
      {"aten::native_layer_norm_backward", layer_norm_backward},
      {"aten::native_group_norm", group_norm},
      {"aten::native_group_norm_backward", group_norm_backward},
      {"aten::native_batch_norm", batch_norm},
      {"aten::native_batch_norm_backward", batch_norm_backward},
      {"aten::embedding_dense_backward", embedding_backward},
      {"aten::index_select", index_select},
      {"aten::where.self", where},
      {"aten::_adaptive_avg_pool2d", adaptive_average},
      {"aten::_adaptive_avg_pool3d", adaptive_average},
      {"aten::_adaptive_avg_pool2d_backward", adaptive_average_backward},
      {"aten::_adaptive_avg_pool3d_backward", adaptive_average_backward},
      {"aten::nll_loss2d_forward", nll_loss2d},
  };
  const auto found = rules.find(operator_name);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace runahead::device
