#include "core/device/dispatch/value_dependence.h"

#include <ATen/ops/aminmax.h>

#include <algorithm>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {
namespace {

bool is_on_device(const at::Tensor& tensor) { return tensor.is_privateuseone(); }

bool is_mask(const at::Tensor& index) {
  return index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
}

template <typename Predicate>
bool has_index(Arguments arguments, const Predicate& predicate) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const c10::IValue& argument) {
    return argument.isList() && any_tensor(argument, predicate);
  });
}

}  // namespace

// A mask selects as many elements as it has ones; integer indices, as many as there are indices.
bool has_device_mask(Arguments arguments) {
  return has_index(arguments,
                   [](const at::Tensor& index) { return is_mask(index) && is_on_device(index); });
}

bool always(Arguments /*arguments*/) { return true; }

bool has_no_output_size(Arguments arguments) { return arguments[1].isNone(); }

// The kernel resizes the statistics of each channel at its first call.
bool has_empty_statistics(Arguments arguments) { return arguments[3].toTensor().numel() == 0; }

bool has_no_total_length(Arguments arguments) { return arguments[2].isNone(); }

// The lengths of the inputs and targets are lists, or tensors that may be on the host.
bool has_device_lengths(Arguments arguments) {
  return any_tensor(arguments.slice(2, 2), is_on_device);
}

bool indexes_by_mask(const OperatorPlan& plan, Arguments arguments) {
  return plan.takes_indices && has_index(arguments, is_mask);
}

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
