#pragma once

#include <torch/types.h>

#include <memory>

#include "core/train/device_memory.h"

namespace runahead::cuda {

/// The memory of a CUDA device, and the host memory that this process keeps for it. See README.md
/// for the figures of its report() and the columns of its probes. Initialises LibTorch's CUDA if
/// the device exists, without creating a context.
/// @return null if LibTorch has no CUDA. For a device that does not exist, an object whose figures
/// are all null.
/// @throws UsageError unless `device` is a CUDA device; c10::Error if CUDA cannot be initialised.
[[nodiscard]] std::unique_ptr<train::DeviceMemory> make_device_memory(torch::Device device);

}  // namespace runahead::cuda
