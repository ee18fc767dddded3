#include "core/device/layouts/shape_function.h"

#include <ATen/native/TensorFactories.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <string>

namespace runahead::device {
namespace {

// LibTorch's kernels that run a shape function, create the results and call the form with out
// arguments.
constexpr auto kShapeFunction = c10::DispatchKey::CompositeExplicitAutogradNonFunctional;

// Whether calls of `returning` take what calls of `out` take, out arguments aside.
bool takes_same_arguments(const c10::FunctionSchema& returning, const c10::FunctionSchema& out) {
  const auto& arguments = returning.arguments();
  const std::size_t outs = out.returns().size();
  if (arguments.size() + outs != out.arguments().size()) return false;
  return std::equal(arguments.begin(), arguments.end(), out.arguments().begin(),
                    [](const c10::Argument& one, const c10::Argument& other) {
                      return one.name() == other.name() && *one.type() == *other.type();
                    });
}

bool runs_shape_function(const c10::OperatorHandle& returning) {
  return returning.hasKernelForDispatchKey(kShapeFunction);
}

}  // namespace

std::optional<c10::OperatorHandle> structured_form(const c10::OperatorHandle& handle) {
  if (runs_shape_function(handle)) return handle;
  const auto& [name, overload] = handle.operator_name();
  const std::string prefix = overload.substr(0, overload.find_last_of('_'));
  const std::string suffix = overload.substr(overload.find_last_of('_') + 1);
  // Of `Scalar_out` `Scalar`, of `values_stable` `stable`, of `out` the overload without a name, of
  // reductions `dim…`.
  for (const std::string& candidate :
       {prefix, suffix, std::string(), std::string("dim"), "dim_" + prefix,
        std::string("ScalarOpt_dim"), "ScalarOpt_dim_" + prefix}) {
    const auto found = c10::Dispatcher::singleton().findOp({name, candidate});
    if (found && takes_same_arguments(found->schema(), handle.schema()) &&
        runs_shape_function(*found)) {
      return found;
    }
  }
  return std::nullopt;
}

c10::Allocator* ShapeProbe::allocator() {
  static at::native::ZeroTensorAllocator no_memory(c10::Device(c10::kPrivateUse1, 0));
  return &no_memory;
}

torch::jit::Stack ShapeProbe::finish(const OperatorPlan& plan, Arguments arguments) {
  TORCH_CHECK(plan.has_out_arguments &&
                  plan.handle.operator_name().name == present_->plan_.handle.operator_name().name,
              plan.name, " was called by a shape function");
  torch::jit::Stack outs;
  for (const int argument : plan.returns) {
    outs.push_back(arguments[static_cast<std::size_t>(argument)]);
    present_->layouts_.push_back(TensorLayout::of(outs.back().toTensor()));
  }
  return outs;
}

std::optional<ReturnLayouts> ShapeProbe::layouts_of_results(const OperatorPlan& plan,
                                                            Arguments arguments) {
  const std::size_t results = plan.returns.size();
  const std::size_t outs = plan.has_out_arguments ? results : 0;
  torch::jit::Stack stack = arguments.slice(0, arguments.size() - outs).vec();
  const c10::impl::ExcludeDispatchKeyGuard without_autocast(c10::autocast_dispatch_keyset);
  ShapeProbe probe(plan);
  plan.structured_form->callBoxedForDispatchKey(kShapeFunction, stack);
  TORCH_CHECK(probe.layouts_.size() == results, plan.name, " has no shape function");
  for (std::size_t i = 0; i < outs; ++i) {
    const at::Tensor& out = arguments[static_cast<std::size_t>(plan.returns[i])].toTensor();
    if (out.scalar_type() != probe.layouts_[i]->dtype) return std::nullopt;
  }
  return std::move(probe.layouts_);
}

}  // namespace runahead::device
