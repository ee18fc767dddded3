#pragma once

#include <torch/types.h>

#include <memory>

#include "core/train/device_hold.h"

namespace runahead::cuda {

/// Holds the current stream of a CUDA device by a kernel of one thread that looks at the device's
/// clock until the time has passed, by that clock; other streams go on. The first hold() of a
/// process loads the kernel: hold once before the one that counts. At most an hour.
/// @throws UsageError unless `device` is a CUDA device; UnavailableError where the program was
/// built without CUDA or without its compiler. hold() throws c10::Error if CUDA fails.
[[nodiscard]] std::unique_ptr<train::DeviceHold> make_device_hold(torch::Device device);

}  // namespace runahead::cuda
