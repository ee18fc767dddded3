#include "core/device/dispatch/value_checks.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/aminmax.h>

namespace runahead::device {

// (gradient, indices, number of embeddings, padding index, whether to scale by frequency)
void check_counted_indices(Arguments arguments) {
  const at::Tensor& indices = arguments[1].toTensor();
  if (!arguments[4].toBool() || indices.numel() == 0) return;
  const auto [least, most] = at::aminmax(indices);
  TORCH_CHECK_INDEX(
      least.item<std::int64_t>() >= 0 && most.item<std::int64_t>() < arguments[2].toInt(),
      "index out of range in self");
}

}  // namespace runahead::device
