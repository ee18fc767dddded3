#pragma once

#include <torch/types.h>

#include "core/array_files/array.h"

namespace runahead::tensor_files {

/// The array as a tensor on the host, without a copy: it keeps the array's memory. Nothing may
/// write to it.
[[nodiscard]] torch::Tensor tensor_of(const array_files::Array& array);

/// A tensor on the host as an array, which keeps the tensor's memory, or a contiguous copy.
/// @throws UsageError for an element type that arrays do not have.
[[nodiscard]] array_files::Array array_of(const torch::Tensor& tensor);

}  // namespace runahead::tensor_files
