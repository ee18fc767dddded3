#include "core/device/products/product_table.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace runahead::device {
namespace {

constexpr std::size_t kCount = ProductTable::kSizes.size();

std::size_t point_of(std::size_t order, std::size_t rows, std::size_t inner, std::size_t columns) {
  return ((order * kCount + rows) * kCount + inner) * kCount + columns;
}

/// Whether a dense matrix is column-major; nullopt if it is not dense.
std::optional<bool> is_transposed(const at::Tensor& matrix) {
  if (matrix.is_contiguous()) return false;
  if (matrix.stride(0) == 1 && matrix.stride(1) == matrix.size(0)) return true;
  return std::nullopt;
}

/// The indices of the grid's sizes around a size: equal if it is one of them, or above all.
struct Around {
  std::size_t below = 0;
  std::size_t above = 0;
};

/// @param size  At least the smallest of the grid.
Around around(std::int64_t size) noexcept {
  const auto& sizes = ProductTable::kSizes;
  const auto above =
      static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), size) - sizes.begin());
  if (above == kCount) return {kCount - 1, kCount - 1};
  return {sizes[above] == size ? above : above - 1, above};
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

ProductShape ProductTable::shape_of(std::size_t point) {
  RUNAHEAD_REQUIRE(point < kPoints, "the grid has no such point");
  const std::size_t order = point / (kCount * kCount * kCount);
  return {.rows = kSizes[point / (kCount * kCount) % kCount],
          .inner = kSizes[point / kCount % kCount],
          .columns = kSizes[point % kCount],
          .left_transposed = order == 2,
          .right_transposed = order == 1};
}

ProductTable::ProductTable(std::vector<double> speedups) : speedups_(std::move(speedups)) {
  RUNAHEAD_REQUIRE(speedups_.size() == kPoints, "a table has a number for each point");
  for (std::size_t point = 0; point < kPoints; ++point) {
    speedups_[point] = std::round(speedups_[point] * 1e3) / 1e3;
    prefers_[point] = speedups_[point] >= kClearlyFaster;
  }
}

bool ProductTable::prefers_onednn(const ProductShape& shape) const noexcept {
  if (shape.left_transposed && shape.right_transposed) return false;
  if (std::min({shape.rows, shape.inner, shape.columns}) < kSizes.front()) return false;
  const std::size_t order = order_of(shape);
  const Around rows = around(shape.rows);
  const Around inner = around(shape.inner);
  const Around columns = around(shape.columns);
  for (const std::size_t row : {rows.below, rows.above}) {
    for (const std::size_t middle : {inner.below, inner.above}) {
      for (const std::size_t column : {columns.below, columns.above}) {
        if (!prefers_[point_of(order, row, middle, column)]) return false;
      }
    }
  }
  return true;
}

}  // namespace runahead::device
