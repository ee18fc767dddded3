#pragma once

#include <torch/library.h>

namespace runahead::device {

/// Registers the operators that LibTorch composes otherwise on a device of a kind it does not know,
/// so that they take the way that they take on CPU: convolution, attention, norms, losses,
/// dropout.
void register_cpu_routes(torch::Library& library);

/// Of these, the ones made of differentiable operators, which also serve the autograd key.
void register_differentiable_cpu_routes(torch::Library& library);

}  // namespace runahead::device
