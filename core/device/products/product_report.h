#pragma once

#include <cstdint>
#include <vector>

#include "core/base/json.h"
#include "core/device/products/product_shape.h"

namespace runahead::device {

/// Products of one shape, and the library that computed them.
struct ProductCount {
  ProductShape shape{};  ///< Zeros: all shapes after the first Products::kMostShapes.
  bool by_onednn = false;
  std::uint64_t count = 0;
};

/// Which library computed which products since the last reset_peaks(); empty with
/// ProductLibrary::kLibTorch.
[[nodiscard]] std::vector<ProductCount> product_counts();

/// {"calibration": …, "made": [{"rows": …, "inner": …, "columns": …, "left_transposed": …,
/// "right_transposed": …, "library": "libtorch" or "onednn", "count": …}]}: the calibration in use,
/// as it is stored (product_calibration.h), and these counts. Null with ProductLibrary::kLibTorch.
[[nodiscard]] Json product_report();

}  // namespace runahead::device
