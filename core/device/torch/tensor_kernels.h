#pragma once

#include <torch/library.h>

namespace runahead::device {

/// Registers what makes, views, resizes and re-seats tensors: all of it on the front end, at once.
void register_tensor_kernels(torch::Library& library);

/// Changes the size of a storage: gives it a new block; an operation moves what the old one holds.
void resize_storage(const c10::Storage& storage, std::uint64_t bytes);

/// Registers copies between host and device, copies on the device, and reads of single values.
///
/// A copy from the host takes the source's values before it returns, into the device tensor's own
/// memory where nothing is in flight on it, else into a copy that the operation holds. With
/// HostCopies::kKeep a non-blocking one keeps the source until it is done instead. Copies to the
/// host wait for what they read, and for nothing else.
void register_copy_kernels(torch::Library& library);

}  // namespace runahead::device
