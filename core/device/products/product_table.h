#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/device/products/product_shape.h"

namespace runahead::device {

/// Which products of float32 matrices oneDNN computes faster than the library that LibTorch uses,
/// as measured on a grid of shapes, on one machine, for one number of threads. Immutable.
///
/// A shape goes to oneDNN only if oneDNN is clearly faster at every grid point around it. So shapes
/// where the two are about equal stay with LibTorch, as far as noise allows.
class ProductTable {
 public:
  /// The grid's sizes in each of the three dimensions. Smaller matrices stay with LibTorch, larger
  /// ones count as the largest.
  static constexpr std::array<std::int64_t, 7> kSizes{16, 32, 64, 128, 256, 512, 1024};
  /// Neither matrix transposed; the right one, as a layer's weights are; the left one, as in the
  /// gradient of weights. Products of two transposed matrices stay with LibTorch.
  static constexpr std::size_t kOrders = 3;
  static constexpr std::size_t kPoints = kOrders * kSizes.size() * kSizes.size() * kSizes.size();
  /// Less is noise, or not worth different rounding.
  static constexpr double kClearlyFaster = 1.03;

  /// The order of a product, below kOrders. Precondition: not both matrices are transposed.
  [[nodiscard]] static std::size_t order_of(const ProductShape& shape) noexcept {
    return shape.left_transposed ? 2 : shape.right_transposed ? 1 : 0;
  }
  /// The product at a point of the grid. @param point  Below kPoints.
  [[nodiscard]] static ProductShape shape_of(std::size_t point);

  /// @param speedups  LibTorch's time divided by oneDNN's at each point: kPoints numbers >= 0.
  /// @throws UsageError for another number of them.
  explicit ProductTable(std::vector<double> speedups);

  [[nodiscard]] bool prefers_onednn(const ProductShape& shape) const noexcept;
  [[nodiscard]] const std::vector<double>& speedups() const noexcept { return speedups_; }

 private:
  std::vector<double> speedups_;
  std::bitset<kPoints> prefers_{};
};

}  // namespace runahead::device
