#pragma once

#include <torch/library.h>

namespace runahead::device {

/// Registers the operators that LibTorch composes differently on a device type it does not know, so
/// that they take the same path as on CPU: convolution, attention, norms, losses, dropout.
void register_cpu_routes(torch::Library& library);

/// Registers those of them composed of differentiable operators, which also serve the autograd key.
void register_differentiable_cpu_routes(torch::Library& library);

}  // namespace runahead::device
