#pragma once

#include <torch/library.h>

namespace runahead::device {

/// Registers LSTM, GRU and plain recurrent layers and cells as the CPU composes them. LibTorch's
/// own composition requires fused kernels on every other device, and computes the gates of all
/// steps at once on CPU only.
///
/// Composed of differentiable operators, so it serves the backend's key and its autograd key alike:
/// register it on both. Nothing waits; the batch sizes of packed sequences are host tensors.
void register_recurrent_routes(torch::Library& library);

}  // namespace runahead::device
