#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <initializer_list>
#include <optional>

#include "core/device/layouts/tensor_layout.h"

/// The rules that give operators' results their layouts on the front end, and their common helpers.
/// operator_traits.cpp assigns each rule to its operators.
namespace runahead::device {

using Arguments = c10::ArrayRef<c10::IValue>;
using Layouts = std::optional<ReturnLayouts>;

/// The tensor of an argument, if present.
[[nodiscard]] std::optional<at::Tensor> optional_tensor(const c10::IValue& value);

/// Whether the tensors that are present have the usual strides and one dtype.
[[nodiscard]] bool are_plain(Arguments arguments, std::initializer_list<std::size_t> positions);

/// Whether the tensors that are present are of one dtype.
[[nodiscard]] bool are_of_one_dtype(Arguments arguments,
                                    std::initializer_list<std::size_t> positions);

/// Whether a parameter is absent or has these sizes. The kernel reports other sizes.
[[nodiscard]] bool is_absent_or(const c10::IValue& value, c10::IntArrayRef sizes);

[[nodiscard]] TensorLayout contiguous_like(const c10::IValue& value);

/// What empty_like returns: the same strides if the tensor is dense, otherwise dense ones in the
/// same order of dimensions.
[[nodiscard]] TensorLayout like(const at::Tensor& tensor);

/// A layout that is contiguous in `format`.
[[nodiscard]] TensorLayout formatted(c10::IntArrayRef sizes, at::ScalarType dtype,
                                     at::MemoryFormat format);

/// A layout in the input's format, as many CPU kernels return; nullopt if it is in none.
[[nodiscard]] std::optional<TensorLayout> formatted_like(const at::Tensor& input);

/// One layout for each gradient that the mask requests.
[[nodiscard]] ReturnLayouts masked(const c10::List<bool>& mask, ReturnLayouts gradients);

/// The layout that LibTorch's elementwise kernels return for inputs whose shapes broadcast.
[[nodiscard]] TensorLayout elementwise_layout(Arguments inputs, at::ScalarType dtype);

// The rules, by subject; each definition lists the arguments that it takes.
Layouts flip_layouts(Arguments arguments);
Layouts like_first_layouts(Arguments arguments);
Layouts elementwise_first_layouts(Arguments arguments);
Layouts like_second_layouts(Arguments arguments);
Layouts contiguous_like_second_layouts(Arguments arguments);
Layouts loss_backward_layouts(Arguments arguments);
Layouts elementwise_backward_layouts(Arguments arguments);
Layouts prelu_backward_layouts(Arguments arguments);
Layouts contiguous_like_first_twice_layouts(Arguments arguments);
Layouts reduced_loss_layouts(Arguments arguments);
Layouts threshold_loss_layouts(Arguments arguments);
Layouts binary_cross_entropy_layouts(Arguments arguments);
Layouts huber_loss_layouts(Arguments arguments);
Layouts addmm_layouts(Arguments arguments);
Layouts multinomial_layouts(Arguments arguments);
Layouts embedding_backward_layouts(Arguments arguments);
Layouts index_select_layouts(Arguments arguments);
Layouts where_layouts(Arguments arguments);
Layouts adaptive_average_layouts(Arguments arguments);
Layouts adaptive_average_backward_layouts(Arguments arguments);
Layouts nll_loss2d_layouts(Arguments arguments);
Layouts nll_loss2d_backward_layouts(Arguments arguments);
Layouts convolution_layouts(Arguments arguments);
Layouts convolution_backward_layouts(Arguments arguments);
Layouts layer_norm_layouts(Arguments arguments);
Layouts layer_norm_backward_layouts(Arguments arguments);
Layouts group_norm_layouts(Arguments arguments);
Layouts group_norm_backward_layouts(Arguments arguments);
Layouts batch_norm_layouts(Arguments arguments);
Layouts batch_norm_backward_layouts(Arguments arguments);
Layouts weight_norm_layouts(Arguments arguments);
Layouts flash_attention_layouts(Arguments arguments);
Layouts flash_attention_backward_layouts(Arguments arguments);
Layouts pixel_shuffle_layouts(Arguments arguments);
Layouts pixel_unshuffle_layouts(Arguments arguments);
Layouts channel_shuffle_layouts(Arguments arguments);
Layouts padded_layouts(Arguments arguments);
Layouts padded_backward_layouts(Arguments arguments);

}  // namespace runahead::device
