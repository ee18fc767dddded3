#pragma once

#include <array>
#include <bitset>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

/// Times the grid's products with both libraries, in turns, on a separate thread with that number
/// of intra-op threads, and takes medians: about 20 s with one thread. If this LibTorch has no
/// oneDNN, the table never prefers it. Blocks.
/// @param cpu  CPU that the thread is pinned to; negative: none.
/// @param check  Called every engine::kWaitCheckInterval; what it throws ends the wait. May be
/// null.
[[nodiscard]] ProductTable time_products(int intra_op_threads, int cpu, void (*check)() = nullptr);

}  // namespace runahead::device
