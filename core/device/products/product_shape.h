#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace at {
class Tensor;
}

namespace runahead::device {

/// The properties of a product of two float32 matrices, (rows, inner) times (inner, columns), that
/// determine how long it takes.
struct ProductShape {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  bool left_transposed = false;   ///< Column-major in memory.
  bool right_transposed = false;  ///< Likewise.

  auto operator<=>(const ProductShape&) const = default;

  /// nullopt for other types, and for a matrix with gaps between its elements.
  /// @param left, right  CPU tensors that can be multiplied.
  [[nodiscard]] static std::optional<ProductShape> of(const at::Tensor& left,
                                                      const at::Tensor& right);
};

}  // namespace runahead::device
