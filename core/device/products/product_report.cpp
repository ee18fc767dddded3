#include "core/device/products/product_report.h"

#include "core/device/runtime.h"

namespace runahead::device {

std::vector<ProductCount> product_counts() { return Runtime::get().products.counts(); }

Json product_report() {
  const auto calibration = Runtime::get().products.calibration();
  if (!calibration) return nullptr;
  Json made = Json::array();
  for (const ProductCount& one : product_counts()) {
    made.push_back({{"rows", one.shape.rows},
                    {"inner", one.shape.inner},
                    {"columns", one.shape.columns},
                    {"left_transposed", one.shape.left_transposed},
                    {"right_transposed", one.shape.right_transposed},
                    {"library", one.by_onednn ? "onednn" : "libtorch"},
                    {"count", one.count}});
  }
  return {{"calibration", to_json(*calibration)}, {"made", made}};
}

}  // namespace runahead::device
