#pragma once

#include <optional>
#include <string>

namespace runahead::cuda {

/// The allocator that LibTorch took for CUDA when it was loaded, by its own name: "native" or
/// "cudaMallocAsync"; nullopt: this LibTorch has no CUDA. Makes no context. Thread-safe.
[[nodiscard]] std::optional<std::string> active_allocator();

/// Whether it is LibTorch's own caching allocator, which alone counts requests and retries.
[[nodiscard]] bool is_native_allocator() noexcept;

}  // namespace runahead::cuda
