#pragma once

#include <optional>
#include <string>

namespace runahead::cuda {

/// LibTorch's name of the CUDA allocator that it chose when it was loaded: "native" or
/// "cudaMallocAsync"; nullopt if LibTorch has no CUDA. Creates no context. Thread-safe.
[[nodiscard]] std::optional<std::string> active_allocator();

/// Whether it is LibTorch's own caching allocator, the only one that counts requests and retries.
[[nodiscard]] bool is_native_allocator() noexcept;

}  // namespace runahead::cuda
