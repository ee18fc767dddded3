#pragma once

#include <torch/types.h>

#include "core/train/device_hold.h"

namespace runahead::cuda {

/// Holds the current stream of a CUDA device with a single-threaded kernel that polls the device's
/// clock until the time has passed on that clock; other streams continue. The first hold of a
/// process loads the kernel, so hold once before a measurement. At most an hour.
/// @throws UsageError unless `device` is a CUDA device; UnavailableError if the program was built
/// without CUDA or without a CUDA compiler. A hold throws c10::Error if CUDA fails.
[[nodiscard]] train::DeviceHold make_device_hold(torch::Device device);

}  // namespace runahead::cuda
