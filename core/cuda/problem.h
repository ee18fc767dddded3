#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/cuda/availability.h"

namespace runahead::cuda {

/// Why there is no device, as a sentence without a full stop. Thread-safe.
/// @param error  Result of looking for devices; cudaSuccess if none was found.
/// @param found  Supplies the versions.
[[nodiscard]] std::string problem_of(cudaError_t error, const Availability& found);

}  // namespace runahead::cuda
