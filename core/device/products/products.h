#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/device/products/product_calibration.h"

namespace runahead::device {

/// Products of one shape, and the library that computed them.
struct ProductCount {
  ProductShape shape{};  ///< Zeros: all shapes after the first Products::kMostShapes.
  bool by_onednn = false;
  std::uint64_t count = 0;
};

/// Computes products of matrices on CPU tensors with the library that LibTorch uses, or with the
/// one that a table prefers. The choice depends on the table, the shape, and whether oneDNN is
/// switched off (torch.backends.mkldnn), so that equal programs take equal paths. Thread-safe.
class Products {
 public:
  /// Shapes that are counted separately; later ones share a last count, without a shape.
  static constexpr std::size_t kMostShapes = 1000;

  /// @param calibration  Null: LibTorch's library computes all of them, and none is counted.
  /// Precondition: no product is being computed.
  void use(std::shared_ptr<const ProductCalibration> calibration);
  /// Null: as above.
  [[nodiscard]] std::shared_ptr<const ProductCalibration> calibration() const;

  /// Like at::mm and at::addmm, for matrices on `cpu`. Below autograd. Block until it is computed.
  [[nodiscard]] at::Tensor mm(const at::Tensor& left, const at::Tensor& right);
  [[nodiscard]] at::Tensor addmm(const at::Tensor& term, const at::Tensor& left,
                                 const at::Tensor& right, const at::Scalar& term_factor,
                                 const at::Scalar& product_factor);
  /// Runs an operator whose arguments are on the stack, if it is one of these two and there is a
  /// table. @return whether it did.
  [[nodiscard]] bool call(std::string_view operator_name, torch::jit::Stack& stack);

  /// Those computed since the last use() or forget(), by shape.
  [[nodiscard]] std::vector<ProductCount> counts() const;
  void forget();

 private:
  /// Whether oneDNN should compute this product; counts it.
  [[nodiscard]] bool goes_to_onednn(const at::Tensor& left, const at::Tensor& right);

  std::atomic<const ProductTable*> table_{nullptr};
  mutable std::mutex mutex_{};  ///< Guards the members below.
  std::shared_ptr<const ProductCalibration> calibration_{};
  std::map<std::pair<ProductShape, bool>, std::uint64_t> counts_{};
};

/// {"calibration": …, "made": [{"rows": …, "inner": …, "columns": …, "left_transposed": …,
/// "right_transposed": …, "library": "libtorch" or "onednn", "count": …}]}: the calibration in use,
/// as it is stored (product_calibration.h), and the products that the device has computed since the
/// last reset_peaks(). Null with ProductLibrary::kLibTorch.
[[nodiscard]] Json product_report();

}  // namespace runahead::device
