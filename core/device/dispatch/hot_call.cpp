#include "core/device/dispatch/hot_call.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>

namespace runahead::device {

std::optional<Number> wrapped_number(const at::Tensor& tensor) {
  if (!tensor.is_cpu() || !tensor.unsafeGetTensorImpl()->is_wrapped_number()) return std::nullopt;
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return Number(*tensor.const_data_ptr<double>());
    case at::kLong:
      return Number(*tensor.const_data_ptr<std::int64_t>());
    default:
      return std::nullopt;
  }
}

at::Tensor wrap_number(Number number, at::ScalarType dtype) {
  at::Tensor tensor = at::detail::empty_cpu({}, at::TensorOptions(dtype));
  if (dtype == at::kDouble) {
    *tensor.mutable_data_ptr<double>() = number.as<double>();
  } else {
    TORCH_INTERNAL_ASSERT(dtype == at::kFloat);
    *tensor.mutable_data_ptr<float>() = number.as<float>();
  }
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

}  // namespace runahead::device
