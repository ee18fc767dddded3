#include "core/device/layouts/layout_rules.h"

namespace runahead::device {

std::optional<at::Tensor> optional_tensor(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return std::nullopt;
  return value.toTensor();
}

bool are_plain(Arguments arguments, std::initializer_list<std::size_t> positions) {
  for (const std::size_t i : positions) {
    const auto tensor = optional_tensor(arguments[i]);
    if (tensor && !are_usual_strides(tensor->sizes(), tensor->strides())) return false;
  }
  return are_of_one_dtype(arguments, positions);
}

bool is_absent_or(const c10::IValue& value, c10::IntArrayRef sizes) {
  const auto tensor = optional_tensor(value);
  return !tensor || tensor->sizes() == sizes;
}

TensorLayout contiguous_like(const c10::IValue& value) {
  const at::Tensor& tensor = value.toTensor();
  return TensorLayout::contiguous(tensor.sizes(), tensor.scalar_type());
}

bool are_of_one_dtype(Arguments arguments, std::initializer_list<std::size_t> positions) {
  std::optional<at::ScalarType> dtype;
  for (const std::size_t i : positions) {
    const auto tensor = optional_tensor(arguments[i]);
    if (tensor && dtype && *dtype != tensor->scalar_type()) return false;
    if (tensor) dtype = tensor->scalar_type();
  }
  return true;
}

TensorLayout formatted(c10::IntArrayRef sizes, at::ScalarType dtype, at::MemoryFormat format) {
  TensorLayout layout = TensorLayout::contiguous(sizes, dtype);
  if (format == at::MemoryFormat::ChannelsLast) {
    layout.strides = at::DimVector(c10::get_channels_last_strides_2d(sizes));
  } else if (format == at::MemoryFormat::ChannelsLast3d) {
    layout.strides = at::DimVector(c10::get_channels_last_strides_3d(sizes));
  }
  return layout;
}

std::optional<TensorLayout> formatted_like(const at::Tensor& input) {
  const at::MemoryFormat format = input.suggest_memory_format();
  if (!input.is_contiguous(format)) return std::nullopt;
  return formatted(input.sizes(), input.scalar_type(), format);
}

ReturnLayouts masked(const c10::List<bool>& mask, ReturnLayouts gradients) {
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!mask.get(i)) gradients[i] = std::nullopt;
  }
  return gradients;
}

}  // namespace runahead::device
