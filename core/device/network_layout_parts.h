#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <optional>
#include <vector>

#include "core/device/network_layout_rules.h"

/// What the rules for the operators of neural networks share.
namespace runahead::device {

using Arguments = c10::ArrayRef<c10::IValue>;
using Layouts = std::optional<ReturnLayouts>;

/// The tensor of an argument, if it is there.
[[nodiscard]] std::optional<at::Tensor> optional_tensor(const c10::IValue& value);

/// Whether the tensors that are there are contiguous and of one dtype.
[[nodiscard]] bool are_plain(Arguments arguments, std::initializer_list<std::size_t> positions);

/// Whether the tensors that are there are of one dtype.
[[nodiscard]] bool are_of_one_dtype(Arguments arguments,
                                    std::initializer_list<std::size_t> positions);

/// Whether a parameter is absent or has these sizes. The kernel says what is wrong with others.
[[nodiscard]] bool is_absent_or(const c10::IValue& value, c10::IntArrayRef sizes);

[[nodiscard]] TensorLayout contiguous_like(const c10::IValue& value);

/// Contiguous in that format.
[[nodiscard]] TensorLayout formatted(c10::IntArrayRef sizes, at::ScalarType dtype,
                                     at::MemoryFormat format);

/// What many kernels of the CPU give: the input's format. nullopt where it is in none.
[[nodiscard]] std::optional<TensorLayout> formatted_like(const at::Tensor& input);

/// One layout for each gradient that the mask asks for.
[[nodiscard]] ReturnLayouts masked(const c10::List<bool>& mask, ReturnLayouts gradients);

// The rules, by subject; what each takes is said where it is.
Layouts convolution_layouts(Arguments arguments);
Layouts convolution_backward_layouts(Arguments arguments);
Layouts layer_norm_layouts(Arguments arguments);
Layouts layer_norm_backward_layouts(Arguments arguments);
Layouts group_norm_layouts(Arguments arguments);
Layouts group_norm_backward_layouts(Arguments arguments);
Layouts batch_norm_layouts(Arguments arguments);
Layouts batch_norm_backward_layouts(Arguments arguments);
Layouts flash_attention_layouts(Arguments arguments);
Layouts flash_attention_backward_layouts(Arguments arguments);
Layouts pixel_shuffle_layouts(Arguments arguments);
Layouts pixel_unshuffle_layouts(Arguments arguments);
Layouts channel_shuffle_layouts(Arguments arguments);
Layouts padded_layouts(Arguments arguments);
Layouts padded_backward_layouts(Arguments arguments);

}  // namespace runahead::device
