#pragma once

#include <torch/library.h>

namespace runahead::device {

/// Registers operators that create, view, resize and re-seat tensors: all run on the front end, at
/// once.
void register_tensor_kernels(torch::Library& library);

/// Resizes a storage by giving it a new block; an operation copies the old block's contents.
void resize_storage(const c10::Storage& storage, std::uint64_t bytes);

/// Registers copies between host and device, copies on the device, and reads of single values.
///
/// A copy from the host reads the source's values before it returns, into the device tensor's own
/// memory if nothing is in flight on it, otherwise into a copy that the operation holds. With
/// HostCopies::kKeep a non-blocking one instead keeps the source until it is done. Copies to the
/// host wait for what they read, and for nothing else.
void register_copy_kernels(torch::Library& library);

/// Registers the operators that LibTorch composes differently on a device type it does not know, so
/// that they take the same path as on CPU: convolution, attention, norms, losses, dropout.
void register_cpu_routes(torch::Library& library);

/// Registers those of them composed of differentiable operators, which also serve the autograd key.
void register_differentiable_cpu_routes(torch::Library& library);

/// Registers LSTM, GRU and plain recurrent layers and cells as the CPU composes them. LibTorch's
/// own composition requires fused kernels on every other device, and computes the gates of all
/// steps at once on CPU only.
///
/// Composed of differentiable operators, so it serves the backend's key and its autograd key alike:
/// register it on both. Nothing waits; the batch sizes of packed sequences are host tensors.
void register_recurrent_routes(torch::Library& library);

}  // namespace runahead::device
