#include "core/device/layouts/return_layouts.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/dispatch/value_dependence.h"
#include "core/device/layouts/layout_rules.h"
#include "core/device/layouts/shape_function.h"

namespace runahead::device {
namespace {

at::Tensor meta_twin(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const bool is_wrapped_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
  // If Python is loaded, Meta kernels may be its own, which see a wrapped number's value.
  if (is_wrapped_number && tensor.is_cpu()) return tensor;
  at::Tensor twin = at::empty_strided(tensor.sizes(), tensor.strides(),
                                      at::TensorOptions(tensor.scalar_type()).device(at::kMeta));
  if (is_wrapped_number) {
    twin.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
  if (tensor.is_conj()) twin._set_conj(true);
  if (tensor.is_neg()) twin._set_neg(true);
  return twin;
}

c10::IValue with_meta_tensors(const c10::IValue& value) {
  if (value.isDevice()) return c10::Device(at::kMeta);
  return with_tensors_replaced(value, [](const at::Tensor& tensor, std::optional<std::size_t>) {
    return meta_twin(tensor);
  });
}

// An empty out argument, to be resized without a warning.
c10::IValue placeholder(const c10::IValue& out) {
  return with_tensors_replaced(out, [](const at::Tensor& tensor, std::optional<std::size_t>) {
    return at::empty({0}, at::TensorOptions(tensor.scalar_type()).device(at::kMeta));
  });
}

std::optional<TensorLayout> layout_of_return(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return std::nullopt;
  return TensorLayout::of(value.toTensor());
}

std::size_t count_tensors(Arguments arguments) {
  std::size_t tensors = 0;
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor&) { ++tensors; });
  }
  return tensors;
}

// Whether a call fills its one tensor: a Meta kernel would add nothing, and Python's may import
// much.
bool only_fills(const OperatorPlan& plan, Arguments arguments) {
  return plan.fills_in_place() && count_tensors(arguments) == 1;
}

// The layouts of a call that returns what it was given, whatever a mask selects.
std::optional<ReturnLayouts> layouts_of_returned_arguments(const OperatorPlan& plan,
                                                           Arguments arguments) {
  ReturnLayouts layouts;
  for (const int argument : plan.returns) {
    if (argument == OperatorPlan::kFresh) return std::nullopt;
    layouts.push_back(layout_of_return(arguments[static_cast<std::size_t>(argument)]));
  }
  return layouts;
}

// Gradients that a call does not request are undefined, which some Meta kernels ignore.
void leave_out_unwanted(const OperatorPlan& plan, Arguments arguments, ReturnLayouts& layouts) {
  if (plan.output_mask_argument < 0) return;
  const auto mask = arguments[static_cast<std::size_t>(plan.output_mask_argument)].toBoolList();
  if (mask.size() != layouts.size()) return;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    if (!mask.get(i)) layouts[i] = std::nullopt;
  }
}

ReturnLayouts run_meta_kernel(const OperatorPlan& plan, Arguments arguments) {
  torch::jit::Stack stack;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    stack.push_back(plan.is_out(i) ? placeholder(arguments[i]) : with_meta_tensors(arguments[i]));
  }
  // The boxed out overloads return references to their arguments: these must outlive the call.
  const torch::jit::Stack kept = stack;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  plan.handle.callBoxedForDispatchKey(c10::DispatchKey::Meta, stack);
  ReturnLayouts layouts = layouts_of(stack);
  leave_out_unwanted(plan, arguments, layouts);
  return layouts;
}

bool is_broadcast_or_transposed(Arguments arguments) {
  return any_tensor(arguments, [](const at::Tensor& tensor) { return !tensor.is_contiguous(); });
}

// Kernels of the CPU copy a tensor of another type than the one they compute in before they order
// dimensions, and the copy of an expanded tensor is dense.
bool may_cast_spread_tensor(Arguments arguments) {
  std::optional<at::ScalarType> type;
  bool are_mixed = false;
  bool is_any_spread = false;
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      is_any_spread |= !tensor.is_non_overlapping_and_dense();
      if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return;
      are_mixed |= type && *type != tensor.scalar_type();
      type = tensor.scalar_type();
    });
  }
  return is_any_spread && (are_mixed || (type && c10::isIntegralType(*type, /*includeBool=*/true)));
}

// Meta kernels order dimensions of size 1 in another way, and look at the strides of `self` only,
// where the kernels of the CPU also look at those of the indices.
bool indexes_in_another_order(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.takes_indices || plan.writes) return false;
  const at::Tensor& self = arguments[0].toTensor();
  const c10::IntArrayRef sizes = self.sizes();
  if (!self.is_contiguous() && std::find(sizes.begin(), sizes.end(), 1) != sizes.end()) return true;
  return any_tensor(arguments[1], [](const at::Tensor& index) {
    return !are_usual_strides(index.sizes(), index.strides());
  });
}

std::optional<ReturnLayouts> layouts_by_rule(const OperatorPlan& plan, Arguments arguments) {
  if (plan.is_pointwise && plan.has_out_arguments && plan.returns.size() == 1) {
    if (may_cast_spread_tensor(arguments)) return std::nullopt;
    const auto out = static_cast<std::size_t>(plan.returns[0]);
    const at::ScalarType dtype = arguments[out].toTensor().scalar_type();
    return ReturnLayouts{elementwise_layout(arguments.slice(0, out), dtype)};
  }
  return plan.traits.layouts == nullptr ? std::nullopt : plan.traits.layouts(arguments);
}

// Checks what the CPU kernels of matrix products check when they run, but Meta kernels don't.
void check_dtypes(const OperatorPlan& plan, Arguments arguments) {
  const at::Tensor* first = nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isTensor() || plan.arguments[i] != ArgumentUse::kRead) continue;
    const at::Tensor& tensor = arguments[i].toTensor();
    if (first == nullptr) first = &tensor;
    TORCH_CHECK(first->scalar_type() == tensor.scalar_type(), plan.name,
                ": expected tensors of one dtype, but got ", first->scalar_type(), " and ",
                tensor.scalar_type());
  }
}

}  // namespace

bool is_left_to_kernel(const OperatorPlan& plan, Arguments arguments) {
  if (plan.traits.is_left_to_kernel || indexes_in_another_order(plan, arguments)) return true;
  if (plan.is_pointwise && (!plan.writes || plan.has_out_arguments) &&
      may_cast_spread_tensor(arguments)) {
    return true;
  }
  if (!plan.is_pointwise || plan.is_structured || plan.traits.is_filling) return false;
  if (!plan.writes) return is_broadcast_or_transposed(arguments);
  return count_tensors(arguments) > 1;
}

std::optional<ReturnLayouts> LayoutCache::find(const CallSignature& signature) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(signature);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

void LayoutCache::learn(const CallSignature& signature, const ReturnLayouts& layouts) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kCapacity) known_.clear();
  known_.insert_or_assign(signature, layouts);
}

ReturnLayouts layouts_of(Arguments returns) {
  ReturnLayouts layouts;
  for (const c10::IValue& returned : returns) layouts.push_back(layout_of_return(returned));
  return layouts;
}

std::optional<ReturnLayouts> infer_return_layouts(const OperatorPlan& plan, Arguments arguments) {
  if (plan.traits.takes_one_dtype) check_dtypes(plan, arguments);
  if (auto layouts = layouts_by_rule(plan, arguments)) return layouts;
  if (indexes_by_mask(plan, arguments) || only_fills(plan, arguments)) {
    return layouts_of_returned_arguments(plan, arguments);
  }
  if (is_left_to_kernel(plan, arguments)) return std::nullopt;
  if (plan.structured_form) return ShapeProbe::layouts_of_results(plan, arguments);
  if (plan.has_meta_kernel) return run_meta_kernel(plan, arguments);
  return std::nullopt;
}

}  // namespace runahead::device
