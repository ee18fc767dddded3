#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config/experiment_config.h"

/// LibTorch chooses its CUDA allocator once, when it is loaded, from two environment variables:
/// "backend:cudaMallocAsync" or "expandable_segments:True". Which variable takes precedence differs
/// between versions, so both are kept equal here.
namespace runahead::cuda {

inline constexpr const char* kCudaSettingsVariable = "PYTORCH_CUDA_ALLOC_CONF";
inline constexpr const char* kSettingsVariable = "PYTORCH_ALLOC_CONF";

/// Values of the variables; nullopt if not set.
struct AllocatorEnvironment {
  std::optional<std::string> cuda_settings{};  ///< kCudaSettingsVariable.
  std::optional<std::string> settings{};       ///< kSettingsVariable.
};

/// `settings` with its allocator and expandable segments replaced by those of the config. Options
/// that this project does not know stay, in their order.
[[nodiscard]] std::string with_allocator_of(const config::CudaConfig& config,
                                            std::string_view settings);

/// The value that both variables must have when LibTorch is loaded, so that it chooses the config's
/// allocator; nullopt if the present values already do.
[[nodiscard]] std::optional<std::string> needed_settings(const config::CudaConfig& config,
                                                         const AllocatorEnvironment& environment);

/// LibTorch's name of the config's allocator: "native" or "cudaMallocAsync".
[[nodiscard]] std::string allocator_name(config::CudaAllocator allocator);

/// @throws UnavailableError if LibTorch has CUDA and chose another allocator than the config's when
/// it was loaded.
void require_allocator(const config::CudaConfig& config);

}  // namespace runahead::cuda
