#pragma once

#include <array>

namespace runahead::engine {

/// The library that computes a device's matrix products.
enum class ProductLibrary {
  kLibTorch,  ///< The one that LibTorch uses: results equal those of `cpu` bit for bit.
  kFastest,   ///< oneDNN where it is faster on this machine: results differ by rounding.
};
constexpr auto enum_names(ProductLibrary) { return std::array{"libtorch", "fastest"}; }

}  // namespace runahead::engine
