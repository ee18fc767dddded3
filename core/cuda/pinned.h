#pragma once

#include <torch/types.h>

namespace runahead::cuda {

/// An uninitialised, contiguous tensor of page-locked host memory, of `like`'s sizes and type. Its
/// memory comes from LibTorch's caching host allocator, which keeps it, once the tensor is gone,
/// until the copies from it have passed. The first of a size takes milliseconds. Thread-safe.
/// There must be a CUDA device: without one LibTorch throws c10::Error, or gives what the back end
/// of another device calls pinned.
/// @throws OutOfMemoryError if the system has no such memory left; UnavailableError where LibTorch
/// has no CUDA.
[[nodiscard]] torch::Tensor make_pinned_like(const torch::Tensor& like);

}  // namespace runahead::cuda
