#include "core/device/value_dependence.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/enum_tag.h>

#include <string>
#include <unordered_map>

#include "core/device/argument_tensors.h"
#include "core/device/operator_plan.h"

namespace runahead::device {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

bool is_on_device(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == c10::kPrivateUse1;
}

bool is_mask(const at::Tensor& index) {
  return index.defined() && (index.scalar_type() == at::kBool || index.scalar_type() == at::kByte);
}

template <typename Predicate>
bool has_index(Arguments arguments, const Predicate& predicate) {
  for (const c10::IValue& argument : arguments) {
    if (!argument.isList()) continue;
    bool found = false;
    for_each_tensor(argument, [&](const at::Tensor& index) { found |= predicate(index); });
    if (found) return true;
  }
  return false;
}

// As many elements as the mask has ones; integer indices give as many as there are indices.
bool has_device_mask(Arguments arguments) {
  return has_index(arguments,
                   [](const at::Tensor& index) { return is_mask(index) && is_on_device(index); });
}

bool has_no_output_size(Arguments arguments) { return arguments[1].isNone(); }

// The lengths of the inputs and targets are lists, or tensors that may be on the host.
bool has_device_lengths(Arguments arguments) {
  for (const std::size_t i : {2U, 3U}) {
    if (arguments[i].isTensor() && is_on_device(arguments[i].toTensor())) return true;
  }
  return false;
}

const std::unordered_map<std::string, ValuePredicate>& refined_predicates() {
  static const std::unordered_map<std::string, ValuePredicate> table{
      {"aten::index.Tensor", has_device_mask},
      {"aten::index.Tensor_out", has_device_mask},
      {"aten::_unsafe_index.Tensor", has_device_mask},
      {"aten::repeat_interleave.Tensor", has_no_output_size},
      {"aten::_ctc_loss", has_device_lengths},
      {"aten::_ctc_loss.Tensor", has_device_lengths},
  };
  return table;
}

}  // namespace

bool indexes_by_mask(const OperatorPlan& plan, Arguments arguments) {
  return plan.takes_indices && has_index(arguments, is_mask);
}

ValuePredicate value_predicate_of(const c10::OperatorHandle& handle) {
  const auto refined = refined_predicates().find(c10::toString(handle.operator_name()));
  if (refined != refined_predicates().end()) return refined->second;
  const bool is_tagged =
      handle.hasTag(at::Tag::dynamic_output_shape) || handle.hasTag(at::Tag::data_dependent_output);
  return is_tagged ? [](Arguments) { return true; } : [](Arguments) { return false; };
}

}  // namespace runahead::device
