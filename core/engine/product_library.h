#pragma once

#include <array>

namespace runahead::engine {

/// Who makes a device's products of matrices.
enum class ProductLibrary {
  kLibTorch,  ///< The library that LibTorch takes: results are those of `cpu`, to the bit.
  kFastest,   ///< oneDNN where it is faster on this machine: results differ by rounding.
};
constexpr auto enum_names(ProductLibrary) { return std::array{"libtorch", "fastest"}; }

}  // namespace runahead::engine
