#include "core/device/products/onednn_product.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/ones.h>

#include <string_view>

namespace runahead::device {
namespace {

constexpr const char* kName = "mkldnn::_linear_pointwise";

/// (inputs, weights of (outputs, inputs), bias, activation, its numbers, its variant).
using Linear = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                          std::string_view, c10::List<std::optional<at::Scalar>>,
                          std::optional<std::string_view>);

}  // namespace

bool has_onednn_products() {
  static const bool has = [] {
    const auto handle = c10::Dispatcher::singleton().findSchema({kName, ""});
    return handle && handle->hasKernelForDispatchKey(c10::DispatchKey::CPU);
  }();
  return has;
}

at::Tensor onednn_product(const at::Tensor& left, const at::Tensor& right,
                          const std::optional<at::Tensor>& bias) {
  static const auto linear =
      c10::Dispatcher::singleton().findSchemaOrThrow(kName, "").typed<Linear>();
  // A left matrix in the other order is copied: oneDNN would lose more time on it than the copy.
  return linear.call(left.contiguous(), right.t(), bias, "none",
                     c10::List<std::optional<at::Scalar>>(), std::nullopt);
}

void make_statics_of_onednn() {
  const at::Tensor one = at::ones({1, 1});
  static_cast<void>(onednn_product(one, one));
}

}  // namespace runahead::device
