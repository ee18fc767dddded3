#pragma once

#include <optional>
#include <string>

namespace runahead::cuda {

/// Has LibTorch's allocator tell of memory that it could not get, from now until the process ends.
/// To be called once LibTorch's CUDA is initialised: it tells for the devices that are known by
/// then. Calls after the first do nothing; nothing where the allocator does not tell
/// (`cudaMallocAsync`). Thread-safe.
void watch_out_of_memory();

/// What the allocator had when memory last could not be had, and how much was asked for, in a
/// sentence; nullopt: it always could, or nobody watched. Thread-safe.
[[nodiscard]] std::optional<std::string> out_of_memory_summary();

/// Forgets what out_of_memory_summary() tells. Thread-safe.
void forget_out_of_memory();

}  // namespace runahead::cuda
