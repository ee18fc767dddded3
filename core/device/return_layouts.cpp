#include "core/device/return_layouts.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/List.h>
#include <ATen/ops/empty_strided.h>

#include "core/device/layout_rules.h"
#include "core/device/value_dependence.h"

namespace runahead::device {
namespace {

at::Tensor meta_twin(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const bool is_wrapped_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
  // Where Python is loaded, Meta kernels may be its own: to them a wrapped number is its value.
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
  if (value.isTensor()) return meta_twin(value.toTensor());
  if (value.isDevice()) return c10::Device(at::kMeta);
  if (value.isTensorList()) {
    c10::List<at::Tensor> twins;
    for (const at::Tensor& tensor : value.toTensorVector()) twins.push_back(meta_twin(tensor));
    return twins;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> twins;
    for (const auto& tensor : value.toOptionalTensorVector()) {
      twins.push_back(tensor ? std::make_optional(meta_twin(*tensor)) : std::nullopt);
    }
    return twins;
  }
  return value;
}

std::optional<TensorLayout> layout_of_return(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return std::nullopt;
  return TensorLayout::of(value.toTensor());
}

// How much a mask takes Meta kernels don't know: the argument written has the layout.
std::optional<ReturnLayouts> layouts_of_returned_arguments(const OperatorPlan& plan,
                                                           c10::ArrayRef<c10::IValue> arguments) {
  ReturnLayouts layouts;
  for (const int argument : plan.returns) {
    if (argument == OperatorPlan::kFresh) return std::nullopt;
    layouts.push_back(layout_of_return(arguments[static_cast<std::size_t>(argument)]));
  }
  return layouts;
}

ReturnLayouts run_meta_kernel(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments) {
  torch::jit::Stack stack;
  for (const c10::IValue& argument : arguments) stack.push_back(with_meta_tensors(argument));
  // The boxed out overloads return references to their arguments: these must outlive the call.
  const torch::jit::Stack kept = stack;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  plan.handle.callBoxedForDispatchKey(c10::DispatchKey::Meta, stack);
  return layouts_of(stack);
}

}  // namespace

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

ReturnLayouts layouts_of(c10::ArrayRef<c10::IValue> returns) {
  ReturnLayouts layouts;
  for (const c10::IValue& returned : returns) layouts.push_back(layout_of_return(returned));
  return layouts;
}

std::optional<ReturnLayouts> infer_return_layouts(const OperatorPlan& plan,
                                                  c10::ArrayRef<c10::IValue> arguments) {
  check_matrix_types(plan, arguments);
  if (auto layouts = layouts_by_rule(plan, arguments)) return layouts;
  if (indexes_by_mask(arguments)) return layouts_of_returned_arguments(plan, arguments);
  if (plan.has_meta_kernel) return run_meta_kernel(plan, arguments);
  return std::nullopt;
}

}  // namespace runahead::device
