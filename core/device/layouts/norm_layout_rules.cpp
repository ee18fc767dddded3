#include <algorithm>

#include "core/device/layouts/layout_rules.h"

namespace runahead::device {

// (input, normalized_shape, weight, bias, eps)
Layouts layer_norm_layouts(Arguments arguments) {
  if (!are_of_one_dtype(arguments, {0, 2, 3})) return std::nullopt;
  const at::Tensor& input = arguments[0].toTensor();
  const auto normalized = arguments[1].toIntVector();
  const auto rank = static_cast<std::size_t>(input.dim());
  const bool fits = !normalized.empty() && normalized.size() <= rank &&
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
Layouts layer_norm_backward_layouts(Arguments arguments) {
  if (!are_of_one_dtype(arguments, {0, 1, 5, 6})) return std::nullopt;
  const auto parameters =
      TensorLayout::contiguous(arguments[2].toIntVector(), arguments[1].toTensor().scalar_type());
  return masked(arguments[7].toBoolList(), {contiguous_like(arguments[1]), parameters, parameters});
}

// (input, weight, bias, N, C, HxW, group, eps)
Layouts group_norm_layouts(Arguments arguments) {
  const std::int64_t channels = arguments[4].toInt();
  const auto output = formatted_like(arguments[0].toTensor());
  if (!output || !are_of_one_dtype(arguments, {0, 1, 2}) || !is_absent_or(arguments[1], channels) ||
      !is_absent_or(arguments[2], channels)) {
    return std::nullopt;
  }
  const auto statistics = TensorLayout::contiguous({arguments[3].toInt(), arguments[6].toInt()},
                                                   arguments[0].toTensor().scalar_type());
  return ReturnLayouts{*output, statistics, statistics};
}

// (grad_out, input, mean, rstd, weight, N, C, HxW, group, output_mask)
Layouts group_norm_backward_layouts(Arguments arguments) {
  const auto input = formatted_like(arguments[1].toTensor());
  if (!input || !are_of_one_dtype(arguments, {0, 1, 4})) return std::nullopt;
  const auto parameters =
      TensorLayout::contiguous(arguments[6].toInt(), arguments[1].toTensor().scalar_type());
  return masked(arguments[9].toBoolList(), {*input, parameters, parameters});
}

// (input, weight, bias, running_mean, running_var, training, momentum, eps)
Layouts batch_norm_layouts(Arguments arguments) {
  const at::Tensor& input = arguments[0].toTensor();
  const bool is_training = arguments[5].toBool();
  // Unlike the gradient's, this kernel asks first whether the input is contiguous.
  const auto output = input.is_contiguous() ? contiguous_like(arguments[0]) : formatted_like(input);
  if (!output || input.dim() < 2 || !are_of_one_dtype(arguments, {0, 1, 2, 3, 4})) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i <= 4; ++i) {
    if (!is_absent_or(arguments[i], input.size(1))) return std::nullopt;
  }
  const auto statistics =
      TensorLayout::contiguous(is_training ? input.size(1) : 0, input.scalar_type());
  return ReturnLayouts{*output, statistics, statistics};
}

// (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, mask)
Layouts batch_norm_backward_layouts(Arguments arguments) {
  const at::Tensor& input = arguments[1].toTensor();
  const auto layout = formatted_like(input);
  if (!layout || !are_of_one_dtype(arguments, {0, 1, 2, 3, 4, 5, 6})) return std::nullopt;
  const auto parameters = TensorLayout::contiguous(input.size(1), input.scalar_type());
  return masked(arguments[9].toBoolList(), {*layout, parameters, parameters});
}

// (v, g, dim). The norms are float where g is float16 or bfloat16.
Layouts weight_norm_layouts(Arguments arguments) {
  const at::Tensor& directions = arguments[0].toTensor();
  const at::Tensor& magnitudes = arguments[1].toTensor();
  const std::int64_t dimension = arguments[2].toInt();
  if (dimension != 0 && dimension != directions.dim() - 1) return std::nullopt;
  at::DimVector sizes(static_cast<std::size_t>(directions.dim()), 1);
  if (!sizes.empty()) sizes[static_cast<std::size_t>(dimension)] = directions.size(dimension);
  const bool fits = are_of_one_dtype(arguments, {0, 1}) && are_plain(arguments, {1}) &&
                    magnitudes.sizes() == c10::IntArrayRef(sizes);
  if (!fits) return std::nullopt;
  const at::ScalarType dtype = magnitudes.scalar_type();
  return ReturnLayouts{
      contiguous_like(arguments[0]),
      TensorLayout::contiguous(sizes, at::isReducedFloatingType(dtype) ? at::kFloat : dtype)};
}

}  // namespace runahead::device
