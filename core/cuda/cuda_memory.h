#pragma once

#include <torch/types.h>

#include <memory>

#include "core/train/device_memory.h"

namespace runahead::cuda {

/// The memory of a CUDA device and of what this process keeps for it: see README.md for the figures
/// of its report() and the columns of its probes. Initialises LibTorch's CUDA where the device is
/// there, without making a context.
/// @return null where LibTorch has no CUDA; for a device that is not there an object whose every
/// figure is null.
/// @throws UsageError unless `device` is a CUDA device; c10::Error if CUDA cannot be initialised.
[[nodiscard]] std::unique_ptr<train::DeviceMemory> make_device_memory(torch::Device device);

}  // namespace runahead::cuda
