#pragma once

#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <optional>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/layouts/tensor_layout.h"

/// The rules that give operators' results their layouts on the front end, and their common helpers.
/// operator_traits.cpp assigns each rule to its operators.
namespace runahead::device {

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
using Rule = Layouts(Arguments arguments);
Rule flip_layouts, like_first_layouts, elementwise_first_layouts, like_second_layouts,
    contiguous_like_second_layouts, loss_backward_layouts, elementwise_backward_layouts,
    prelu_backward_layouts, contiguous_like_first_twice_layouts, reduced_loss_layouts,
    threshold_loss_layouts, binary_cross_entropy_layouts, huber_loss_layouts, addmm_layouts,
    multinomial_layouts, embedding_backward_layouts, index_select_layouts, where_layouts,
    adaptive_average_layouts, adaptive_average_backward_layouts, nll_loss2d_layouts,
    nll_loss2d_backward_layouts, convolution_layouts, convolution_backward_layouts,
    layer_norm_layouts, layer_norm_backward_layouts, group_norm_layouts,
    group_norm_backward_layouts, batch_norm_layouts, batch_norm_backward_layouts,
    weight_norm_layouts, flash_attention_layouts, flash_attention_backward_layouts,
    pixel_shuffle_layouts, pixel_unshuffle_layouts, channel_shuffle_layouts, padded_layouts,
    padded_backward_layouts;

}  // namespace runahead::device
