#pragma once

#include <optional>
#include <string>

namespace runahead::cuda {

/// Makes LibTorch's allocator report failed allocations from now until the process ends. Call it
/// after LibTorch's CUDA is initialised, because it covers only the devices that are known by then.
/// Further calls do nothing, and neither does any call if the allocator does not report
/// (`cudaMallocAsync`). Thread-safe.
void watch_out_of_memory();

/// A sentence with the allocator's state at the last failed allocation and the size requested;
/// nullopt if no allocation failed or none was watched. Thread-safe.
[[nodiscard]] std::optional<std::string> out_of_memory_summary();

/// Clears what out_of_memory_summary() returns. Thread-safe.
void forget_out_of_memory();

}  // namespace runahead::cuda
