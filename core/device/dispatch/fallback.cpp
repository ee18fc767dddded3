#include "core/device/dispatch/fallback.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/dispatch/early_refusal.h"
#include "core/device/dispatch/issue.h"
#include "core/device/dispatch/kernel_call.h"
#include "core/device/dispatch/untried_variant.h"
#include "core/device/dispatch/view_call.h"
#include "core/device/layouts/shape_function.h"
#include "core/device/runtime.h"

namespace runahead::device {
namespace {

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

// The body of an operation that runs a call.
template <typename Call, void (KernelCall::*kRun)()>
struct CallBody {
  void operator()() { ((*call).*kRun)(); }
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept {
    return call->describe(text);
  }
  Call call;
};

torch::jit::Stack issue_promised(Runtime& runtime, const OperatorPlan& plan,
                                 const ReturnLayouts& layouts, Arguments arguments) {
  if (plan.has_out_arguments) resize_out_arguments(plan, layouts, arguments);
  auto call = std::make_unique<KernelCall>(runtime, plan, arguments);
  torch::jit::Stack returns = call->promise(layouts, arguments);
  Accesses accesses = call->accesses(true);
  issue(runtime, plan.name, std::move(accesses),
        CallBody<std::unique_ptr<KernelCall>, &KernelCall::run>{std::move(call)});
  return returns;
}

torch::jit::Stack run_and_wait(Runtime& runtime, const OperatorPlan& plan, Arguments arguments) {
  runtime.blocking.count(plan.name);
  const auto call = std::make_shared<KernelCall>(runtime, plan, arguments);
  const engine::VariablePtr finished = engine::make_variable();
  Accesses accesses = call->accesses(false);
  accesses.list.push_back({finished, engine::AccessMode::kOverwrite});
  issue(runtime, plan.name, std::move(accesses),
        CallBody<std::shared_ptr<KernelCall>, &KernelCall::run_unpromised>{call});
  runtime.wait_to_read(finished);
  return call->take_results(arguments);
}

// Whether a call returns only its arguments, as they are.
bool returns_arguments(const OperatorPlan& plan) {
  const bool has_views = std::find(plan.arguments.begin(), plan.arguments.end(),
                                   ArgumentUse::kAlias) != plan.arguments.end();
  return !has_fresh_returns(plan) && !plan.has_out_arguments && !has_views;
}

// Whether results of `promised` layouts can hold those of `found` layouts: strides may differ.
bool are_alike(const ReturnLayouts& promised, const ReturnLayouts& found) {
  return std::ranges::equal(promised, found, [](const auto& one, const auto& other) {
    if (!one || !other) return one.has_value() == other.has_value();
    return one->sizes == other->sizes && one->dtype == other->dtype;
  });
}

enum class OutResize { kNone, kOfEmpty, kOfNonEmpty };

// Which out arguments would have to be resized.
OutResize out_resize(const OperatorPlan& plan, const ReturnLayouts& layouts, Arguments arguments) {
  OutResize found = OutResize::kNone;
  for (std::size_t i = 0; i < plan.returns.size(); ++i) {
    if (plan.returns[i] == OperatorPlan::kFresh || !layouts[i]) continue;
    const at::Tensor& out = arguments[static_cast<std::size_t>(plan.returns[i])].toTensor();
    if (out.sizes() == c10::IntArrayRef(layouts[i]->sizes)) continue;
    found = std::max(found, out.numel() == 0 ? OutResize::kOfEmpty : OutResize::kOfNonEmpty);
  }
  return found;
}

// Whether resizing out arguments is left to the kernel. LibTorch warns about it if one is not
// empty, and some operators then take paths of their own; the strides that an empty one receives
// are Meta kernels' guesses.
bool leaves_resizing_to_kernel(const OperatorPlan& plan, const ReturnLayouts& layouts,
                               Arguments arguments, bool is_known) {
  if (!plan.has_out_arguments) return false;
  const OutResize resize = out_resize(plan, layouts, arguments);
  const bool is_guess = !is_known && plan.reads_tensors && !plan.is_pointwise &&
                        plan.traits.layouts == nullptr && !plan.structured_form;
  return resize == OutResize::kOfNonEmpty || (resize == OutResize::kOfEmpty && is_guess);
}

// Whether a result has elements although an operand has none: some kernels reject that.
bool makes_something_of_nothing(const OperatorPlan& plan, const ReturnLayouts& layouts,
                                Arguments arguments) {
  const bool is_something = std::any_of(layouts.begin(), layouts.end(), [](const auto& layout) {
    return layout && layout->element_count() != 0;
  });
  return is_something && has_empty_operand(plan, arguments);
}

// The layouts of the results; nullopt if only running the call reveals them, or an error.
std::optional<ReturnLayouts> foresee(Runtime& runtime, const OperatorPlan& plan,
                                     Arguments arguments) {
  try {
    if (is_untried_variant(plan, arguments) || has_mixed_types(plan, arguments) ||
        is_refused_when_empty(plan, arguments)) {
      return std::nullopt;
    }
    if (auto layouts = infer_return_layouts(plan, arguments)) {
      if (makes_something_of_nothing(plan, *layouts, arguments)) return std::nullopt;
      return layouts;
    }
  } catch (const std::exception&) {
    runtime.drop_foreign_error();
    return std::nullopt;
  }
  if (!returns_arguments(plan) || is_left_to_kernel(plan, arguments)) return std::nullopt;
  return ReturnLayouts(plan.returns.size());
}

// Whether later calls like this one would be promised what it returned: for rare types, some Meta
// kernels name other types than the kernel returns.
bool are_foreseen(Runtime& runtime, const OperatorPlan& plan, Arguments arguments,
                  Arguments returns) {
  if (!has_fresh_returns(plan)) return true;
  try {
    const auto layouts = infer_return_layouts(plan, arguments);
    return !layouts || are_alike(*layouts, layouts_of(returns));
  } catch (const std::exception&) {
    runtime.drop_foreign_error();
    return true;  // Later calls will not be foreseen, either, and wait.
  }
}

// Autograd must see that what a custom kernel changes is changed: LibTorch's own operators note it
// before they come here.
void note_changes(const OperatorPlan& plan, Arguments arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_written(plan.arguments[i])) continue;
    for_each_tensor(arguments[i], [](const at::Tensor& tensor) {
      if (!tensor.is_inference()) tensor.unsafeGetTensorImpl()->bump_version();
    });
  }
}

torch::jit::Stack call_operator(Runtime& runtime, const OperatorPlan& plan, Arguments arguments) {
  refuse_sparse_results(plan, arguments);
  if (plan.hides_writes) note_changes(plan, arguments);
  // In the last two cases, the kernel itself issues the errors and warnings.
  if (plan.always_waits || has_overlap(plan, arguments) || may_be_refused(plan, arguments)) {
    return run_and_wait(runtime, plan, arguments);
  }
  const bool is_foreseeable = !plan.returns_other_than_tensors && !plan.is_unpredictable.load() &&
                              !plan.depends_on_device_values(arguments);
  const auto signature = is_foreseeable && plan.is_of_libtorch ? signature_of(plan, arguments)
                                                               : std::optional<CallSignature>();
  std::optional<ReturnLayouts> layouts;
  if (signature) layouts = runtime.layouts.find(*signature);
  const bool is_known = layouts.has_value();
  if (!layouts && is_foreseeable) {
    layouts = foresee(runtime, plan, arguments);
  } else if (!layouts && returns_arguments(plan)) {
    layouts = ReturnLayouts(plan.returns.size());
  }
  if (layouts && leaves_resizing_to_kernel(plan, *layouts, arguments, is_known)) {
    layouts = std::nullopt;
  }
  if (layouts) {
    if (signature && !is_known) runtime.layouts.learn(*signature, *layouts);
    return issue_promised(runtime, plan, *layouts, arguments);
  }
  const bool is_untried = is_foreseeable && is_untried_variant(plan, arguments);
  torch::jit::Stack returns = run_and_wait(runtime, plan, arguments);
  if (!is_untried || are_foreseen(runtime, plan, arguments, returns)) {
    note_variant(plan, arguments, returns);
  }
  if (signature) runtime.layouts.learn(*signature, layouts_of(returns));
  return returns;
}

void refuse_named_tensors(const OperatorPlan& plan, Arguments arguments) {
  if (plan.traits.takes_named_tensors || plan.fills_in_place()) return;
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      TORCH_CHECK_NOT_IMPLEMENTED(!tensor.has_names(), plan.name,
                                  ": acpu does not compute with named dimensions; drop the names "
                                  "with tensor.rename(None)");
    });
  }
}

}  // namespace

void fallback(const c10::OperatorHandle& handle, torch::jit::Stack* stack) {
  Runtime& runtime = Runtime::get();
  const OperatorPlan& plan = runtime.plans.of(handle);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const std::size_t argument_count = plan.arguments.size();
  const Arguments arguments = torch::jit::last(*stack, argument_count);
  refuse_named_tensors(plan, arguments);
  torch::jit::Stack returns = plan.is_view               ? view_on_front_end(plan, arguments)
                              : ShapeProbe::is_present() ? ShapeProbe::finish(plan, arguments)
                                                         : call_operator(runtime, plan, arguments);
  torch::jit::drop(*stack, argument_count);
  for (c10::IValue& value : returns) torch::jit::push(*stack, std::move(value));
}

void refuse_other_layouts(const c10::OperatorHandle& handle, torch::jit::Stack* /*stack*/) {
  C10_THROW_ERROR(NotImplementedError, c10::toString(handle.operator_name()) +
                                           ": acpu has strided tensors only, none that are sparse, "
                                           "quantized or nested; call it on cpu");
}

}  // namespace runahead::device
