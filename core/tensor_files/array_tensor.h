#pragma once

#include <torch/types.h>

#include "core/array_files/array.h"

namespace runahead::tensor_files {

/// The array as a host tensor, without a copy: it keeps the array's memory alive. Nothing may write
/// to it.
[[nodiscard]] torch::Tensor tensor_of(const array_files::Array& array);

/// A host tensor as an array, which keeps the tensor's memory alive, or a contiguous copy.
/// @throws UsageError for an element type that arrays do not have.
[[nodiscard]] array_files::Array array_of(const torch::Tensor& tensor);

}  // namespace runahead::tensor_files
