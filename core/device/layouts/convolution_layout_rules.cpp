#include <ATen/Context.h>
#include <ATen/native/ConvUtils.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "core/device/layouts/layout_rules.h"

namespace runahead::device {
namespace {

std::int64_t at_dimension(const std::vector<std::int64_t>& values, std::size_t dimension) {
  return values[values.size() == 1 ? 0 : dimension];
}

bool is_in_some_format(const at::Tensor& tensor) {
  return tensor.is_contiguous() || tensor.is_contiguous(tensor.suggest_memory_format());
}

// The format in which the CPU's convolution library works; nullopt if another kernel runs, or if
// operands are in none.
std::optional<at::MemoryFormat> convolution_format(const at::Tensor& input,
                                                   const at::Tensor& weight) {
  const bool is_library_type = input.scalar_type() == at::kFloat;
  if (input.dim() != 4 || !is_library_type || !at::globalContext().userEnabledMkldnn())
    return std::nullopt;
  if (!is_in_some_format(input) || !is_in_some_format(weight)) return std::nullopt;
  return at::native::mkldnn_conv_use_channels_last(input, weight) ? at::MemoryFormat::ChannelsLast
                                                                  : at::MemoryFormat::Contiguous;
}

// Kernels compute with 32 bits.
bool are_at_least(const std::vector<std::int64_t>& numbers, std::int64_t least) {
  return std::all_of(numbers.begin(), numbers.end(), [least](auto number) {
    return number >= least && number <= std::numeric_limits<std::int32_t>::max();
  });
}

// (stride, padding, dilation, is_transposed, output_padding, groups) of an image with `dimensions`.
// Other errors are left to the kernel to report.
void require_possible_numbers(Arguments numbers, std::int64_t dimensions) {
  for (const std::size_t i : std::initializer_list<std::size_t>{0, 1, 2, 4}) {
    const auto count = static_cast<std::int64_t>(numbers[i].toIntVector().size());
    TORCH_CHECK(count == 1 || count == dimensions, "acpu: the kernel says what is wrong");
  }
  const auto output_padding = numbers[4].toIntVector();
  const bool may_pad_output =
      numbers[3].toBool() || std::all_of(output_padding.begin(), output_padding.end(),
                                         [](auto number) { return number == 0; });
  TORCH_CHECK(are_at_least(numbers[0].toIntVector(), 1) &&
                  are_at_least(numbers[1].toIntVector(), 0) &&
                  are_at_least(numbers[2].toIntVector(), 1) && are_at_least(output_padding, 0) &&
                  may_pad_output && numbers[5].toInt() > 0,
              "acpu: the kernel says what is wrong");
}

}  // namespace

// (input, weight, bias, stride, padding, dilation, is_transposed, output_padding, groups), as in
// torch.nn.Conv2d's and torch.nn.ConvTranspose2d's documentation.
Layouts convolution_layouts(Arguments arguments) {
  const at::Tensor& input = arguments[0].toTensor();
  const at::Tensor& weight = arguments[1].toTensor();
  if (!are_of_one_dtype(arguments, {0, 1, 2}) || input.dim() != weight.dim()) return std::nullopt;
  if (input.numel() == 0 || weight.numel() == 0) return std::nullopt;
  const bool is_plain = are_plain(arguments, {0, 1});
  const auto format = is_plain ? at::MemoryFormat::Contiguous : convolution_format(input, weight);
  if (!format) return std::nullopt;
  require_possible_numbers(arguments.slice(3, 6), input.dim() - 2);
  const auto stride = arguments[3].toIntVector();
  const auto padding = arguments[4].toIntVector();
  const auto dilation = arguments[5].toIntVector();
  const bool is_transposed = arguments[6].toBool();
  const auto output_padding = arguments[7].toIntVector();
  const std::int64_t groups = arguments[8].toInt();
  const std::int64_t channels = is_transposed ? weight.size(1) * groups : weight.size(0);
  const std::int64_t expected = is_transposed ? weight.size(0) : weight.size(1) * groups;
  if (input.size(1) != expected || weight.size(0) % groups != 0 ||
      !is_absent_or(arguments[2], channels)) {
    return std::nullopt;
  }
  at::DimVector sizes{input.size(0), channels};
  for (std::int64_t i = 2; i < input.dim(); ++i) {
    const auto d = static_cast<std::size_t>(i - 2);
    const std::int64_t span = at_dimension(dilation, d) * (weight.size(i) - 1);
    const std::int64_t margin = 2 * at_dimension(padding, d);
    const std::int64_t step = at_dimension(stride, d);
    const bool fits =
        is_transposed ? at_dimension(output_padding, d) < std::max(step, at_dimension(dilation, d))
                      : input.size(i) + margin > span;
    if (!fits) return std::nullopt;
    sizes.push_back(is_transposed ? (input.size(i) - 1) * step - margin + span +
                                        at_dimension(output_padding, d) + 1
                                  : (input.size(i) + margin - span - 1) / step + 1);
    if (sizes.back() <= 0) return std::nullopt;
  }
  return ReturnLayouts{formatted(sizes, input.scalar_type(), *format)};
}

// (grad_output, input, weight, bias_sizes, stride, padding, dilation, is_transposed,
// output_padding, groups, output_mask)
Layouts convolution_backward_layouts(Arguments arguments) {
  const at::Tensor& gradient = arguments[0].toTensor();
  const at::Tensor& input = arguments[1].toTensor();
  const at::Tensor& weight = arguments[2].toTensor();
  require_possible_numbers(arguments.slice(4, 6), input.dim() - 2);
  if (!are_of_one_dtype(arguments, {0, 1, 2})) return std::nullopt;
  if (input.numel() == 0 || weight.numel() == 0) return std::nullopt;
  const bool is_plain = are_plain(arguments, {0, 1, 2});
  const auto format = is_plain ? at::MemoryFormat::Contiguous : convolution_format(input, weight);
  if (!format) return std::nullopt;
  const bool is_pointwise = std::all_of(weight.sizes().begin() + 2, weight.sizes().end(),
                                        [](std::int64_t size) { return size == 1; });
  if (is_pointwise && *format != at::MemoryFormat::Contiguous) return std::nullopt;
  return masked(arguments[10].toBoolList(),
                {formatted(input.sizes(), input.scalar_type(), *format),
                 formatted(weight.sizes(), weight.scalar_type(), *format),
                 TensorLayout::contiguous(gradient.size(1), gradient.scalar_type())});
}

}  // namespace runahead::device
