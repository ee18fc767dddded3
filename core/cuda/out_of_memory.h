#pragma once

#include <optional>
#include <string>

namespace runahead::cuda {

/// Has LibTorch's allocator report memory that it could not get, from now until the process ends.
/// To be called once LibTorch's CUDA is initialised: it reports for the devices that are known by
/// then. Calls after the first do nothing; nothing where the allocator does not report
/// (`cudaMallocAsync`). Thread-safe.
void watch_out_of_memory();

/// What the allocator had when memory last could not be had, and how much was asked for, in a
/// sentence; nullopt: it always could, or it was not watched. Thread-safe.
[[nodiscard]] std::optional<std::string> out_of_memory_summary();

/// Forgets what out_of_memory_summary() reports. Thread-safe.
void forget_out_of_memory();

}  // namespace runahead::cuda
