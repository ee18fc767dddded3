#pragma once

#include <torch/types.h>

namespace runahead::cuda {

/// An uninitialised, contiguous tensor in page-locked host memory, with the sizes and type of
/// `like`. Its memory comes from LibTorch's caching host allocator, which keeps it after the tensor
/// is destroyed until the copies from it have finished. The first tensor of a size takes
/// milliseconds. Thread-safe. There must be a CUDA device: without one, LibTorch throws c10::Error
/// or returns what the back end of another device calls pinned.
/// @throws OutOfMemoryError if the system has no such memory left; UnavailableError if LibTorch has
/// no CUDA.
[[nodiscard]] torch::Tensor make_pinned_like(const torch::Tensor& like);

}  // namespace runahead::cuda
