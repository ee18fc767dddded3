#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/cuda/availability.h"

namespace runahead::cuda {

/// Why there is no device, a sentence without its full stop. Thread-safe.
/// @param error  Of looking for devices; cudaSuccess: none was found.
/// @param found  The versions.
[[nodiscard]] std::string problem_of(cudaError_t error, const Availability& found);

}  // namespace runahead::cuda
