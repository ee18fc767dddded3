#include "core/device/products/product_shape.h"

#include <ATen/core/Tensor.h>

namespace runahead::device {
namespace {

/// Whether a dense matrix is column-major; nullopt if it is not dense.
std::optional<bool> is_transposed(const at::Tensor& matrix) {
  if (matrix.is_contiguous()) return false;
  if (matrix.stride(0) == 1 && matrix.stride(1) == matrix.size(0)) return true;
  return std::nullopt;
}

}  // namespace

std::optional<ProductShape> ProductShape::of(const at::Tensor& left, const at::Tensor& right) {
  if (left.scalar_type() != at::kFloat || right.scalar_type() != at::kFloat) return std::nullopt;
  if (left.is_conj() || left.is_neg() || right.is_conj() || right.is_neg()) return std::nullopt;
  const auto left_transposed = is_transposed(left);
  const auto right_transposed = is_transposed(right);
  if (!left_transposed || !right_transposed) return std::nullopt;
  return ProductShape{.rows = left.size(0),
                      .inner = left.size(1),
                      .columns = right.size(1),
                      .left_transposed = *left_transposed,
                      .right_transposed = *right_transposed};
}

}  // namespace runahead::device
