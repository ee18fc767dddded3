#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/config/experiment_config.h"

/// LibTorch chooses its allocator of CUDA memory once, when it is loaded, by what two variables of
/// the environment say: "backend:cudaMallocAsync", or "expandable_segments:True". Which of the two
/// goes first differs from version to version: here both are kept equal.
namespace runahead::cuda {

inline constexpr const char* kCudaSettingsVariable = "PYTORCH_CUDA_ALLOC_CONF";
inline constexpr const char* kSettingsVariable = "PYTORCH_ALLOC_CONF";

/// What the variables are; nullopt: not set.
struct AllocatorEnvironment {
  std::optional<std::string> cuda_settings{};  ///< kCudaSettingsVariable.
  std::optional<std::string> settings{};       ///< kSettingsVariable.
};

/// `settings` without what it says of the allocator and of expandable segments, and with what the
/// config says of them. Options that this project does not know stay, in their order.
[[nodiscard]] std::string with_allocator_of(const config::CudaConfig& config,
                                            std::string_view settings);

/// What both variables must be when LibTorch is loaded, for the allocator that the config asks for;
/// nullopt: as they are they choose it.
[[nodiscard]] std::optional<std::string> needed_settings(const config::CudaConfig& config,
                                                         const AllocatorEnvironment& environment);

/// LibTorch's name of the config's allocator: "native" or "cudaMallocAsync".
[[nodiscard]] std::string allocator_name(config::CudaAllocator allocator);

/// @throws UnavailableError if LibTorch has CUDA and took another allocator than the config asks
/// for when it was loaded.
void require_allocator(const config::CudaConfig& config);

}  // namespace runahead::cuda
