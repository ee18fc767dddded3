#include "core/device/fallback.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <memory>
#include <span>
#include <utility>

#include "core/device/kernel_call.h"
#include "core/device/runtime.h"
#include "core/device/view_call.h"

namespace runahead::device {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

bool has_fresh_returns(const OperatorPlan& plan) {
  for (const int argument : plan.returns) {
    if (argument == OperatorPlan::kFresh) return true;
  }
  return false;
}

// An out argument of another shape takes the result's, before the operation is issued.
void resize_out_arguments(const OperatorPlan& plan, const ReturnLayouts& layouts,
                          Arguments arguments) {
  for (std::size_t i = 0; i < plan.returns.size(); ++i) {
    if (plan.returns[i] == OperatorPlan::kFresh || !layouts[i]) continue;
    const at::Tensor& out = arguments[static_cast<std::size_t>(plan.returns[i])].toTensor();
    if (out.sizes() == c10::IntArrayRef(layouts[i]->sizes)) continue;
    out.resize_(layouts[i]->sizes);
    out.unsafeGetTensorImpl()->set_sizes_and_strides(layouts[i]->sizes, layouts[i]->strides);
  }
}

c10::SmallVector<at::Tensor, 4> tensors_used(const OperatorPlan& plan, Arguments arguments,
                                             ArgumentUse use) {
  c10::SmallVector<at::Tensor, 4> tensors;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (plan.arguments[i] != use) continue;
    if (arguments[i].isTensor() && arguments[i].toTensor().defined()) {
      tensors.push_back(arguments[i].toTensor());
    } else if (arguments[i].isTensorList()) {
      for (const at::Tensor& tensor : arguments[i].toTensorVector()) tensors.push_back(tensor);
    }
  }
  return tensors;
}

// LibTorch leaves it to the kernels to refuse an out argument that overlaps an input in part; by
// then the argument would be spoiled.
void require_no_overlap(const OperatorPlan& plan, Arguments arguments) {
  const auto inputs = tensors_used(plan, arguments, ArgumentUse::kRead);
  for (const at::Tensor& written : tensors_used(plan, arguments, ArgumentUse::kOverwrite)) {
    for (const at::Tensor& input : inputs) {
      if (input.is_alias_of(written)) at::assert_no_partial_overlap(written, input);
    }
  }
}

// The body of an operation that makes a call.
template <typename Call, void (KernelCall::*kRun)()>
struct CallBody {
  void operator()() { ((*call).*kRun)(); }
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept {
    return call->describe(text);
  }
  Call call;
};

torch::jit::Stack issue(Runtime& runtime, const OperatorPlan& plan, const ReturnLayouts& layouts,
                        Arguments arguments) {
  if (plan.has_out_arguments) {
    resize_out_arguments(plan, layouts, arguments);
    require_no_overlap(plan, arguments);
  }
  auto call = std::make_unique<KernelCall>(runtime, plan, arguments);
  torch::jit::Stack returns = call->promise(layouts, arguments);
  Accesses accesses = call->accesses();
  runtime.push({.name = plan.name,
                .body = CallBody<std::unique_ptr<KernelCall>, &KernelCall::run>{std::move(call)},
                .accesses = std::move(accesses.list),
                .cost_bytes = accesses.cost_bytes});
  return returns;
}

torch::jit::Stack run_and_wait(Runtime& runtime, const OperatorPlan& plan, Arguments arguments) {
  const auto call = std::make_shared<KernelCall>(runtime, plan, arguments);
  const engine::VariablePtr finished = engine::make_variable();
  Accesses accesses = call->accesses();
  accesses.list.push_back({finished, engine::AccessMode::kOverwrite});
  runtime.push({.name = plan.name,
                .body = CallBody<std::shared_ptr<KernelCall>, &KernelCall::run_unpromised>{call},
                .accesses = std::move(accesses.list),
                .cost_bytes = accesses.cost_bytes});
  runtime.wait_to_read(finished);
  return call->take_results(arguments);
}

torch::jit::Stack call_operator(Runtime& runtime, const OperatorPlan& plan, Arguments arguments) {
  const bool is_cacheable =
      !plan.returns_other_than_tensors && !plan.depends_on_device_values(arguments);
  const auto signature =
      is_cacheable ? signature_of(plan, arguments) : std::optional<CallSignature>();
  std::optional<ReturnLayouts> layouts;
  if (signature) layouts = runtime.layouts.find(*signature);
  const bool is_known = layouts.has_value();
  if (!layouts && is_cacheable) layouts = infer_return_layouts(plan, arguments);
  if (!layouts && !has_fresh_returns(plan) && !plan.has_out_arguments) {
    layouts = ReturnLayouts(plan.returns.size());
  }
  if (layouts) {
    if (signature && !is_known) runtime.layouts.learn(*signature, *layouts);
    return issue(runtime, plan, *layouts, arguments);
  }
  runtime.blocking.count(plan.name);
  torch::jit::Stack returns = run_and_wait(runtime, plan, arguments);
  if (signature) runtime.layouts.learn(*signature, layouts_of(returns));
  return returns;
}

}  // namespace

void fallback(const c10::OperatorHandle& handle, torch::jit::Stack* stack) {
  Runtime& runtime = Runtime::get();
  const OperatorPlan& plan = runtime.plans.of(handle);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const std::size_t argument_count = plan.arguments.size();
  const torch::jit::Stack arguments(stack->end() - static_cast<std::ptrdiff_t>(argument_count),
                                    stack->end());
  torch::jit::Stack returns =
      plan.is_view ? view_on_front_end(plan, arguments) : call_operator(runtime, plan, arguments);
  torch::jit::drop(*stack, argument_count);
  for (c10::IValue& value : returns) torch::jit::push(*stack, std::move(value));
}

void refuse_other_layouts(const c10::OperatorHandle& handle, torch::jit::Stack* /*stack*/) {
  C10_THROW_ERROR(NotImplementedError, c10::toString(handle.operator_name()) +
                                           ": acpu has strided tensors only, none that are sparse "
                                           "or quantized; call it on cpu");
}

}  // namespace runahead::device
