#include "core/device/torch/registrations.h"

#include <ATen/Context.h>
#include <ATen/TensorSubclassLikeUtils.h>
#include <ATen/TracerMode.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/histc.h>
#include <ATen/ops/max_pool1d_native.h>
#include <ATen/ops/max_pool1d_ops.h>
#include <ATen/ops/nanquantile_native.h>
#include <ATen/ops/native_dropout.h>
#include <ATen/ops/quantile_native.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/PythonDispatcherTLS.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "core/device/dispatch/fallback.h"
#include "core/device/dispatch/hot_call.h"
#include "core/device/dispatch/operator_traits.h"

namespace runahead::device {
namespace {

using at::Tensor;

// Operators that make nested tensors: refused before LibTorch's autograd meets one, which it cannot
// handle on a device without kernels for them.
constexpr std::array kMakersOfNested{"_nested_tensor_from_tensor_list", "_nested_view_from_buffer",
                                     "_nested_tensor_from_mask", "_nested_from_padded"};

// nn.TransformerEncoder asks this before it turns a padded batch into a nested tensor: if false, it
// takes its usual path.
bool is_fit_to_be_nested(const Tensor&, const Tensor&) { return false; }

// On cpu, `convolution` calls `_convolution`, and only that is recorded by TorchScript's tracer.
void convolution(const c10::OperatorHandle& handle, torch::jit::Stack* stack) {
  if (!at::tracer::impl::is_dispatch_enabled()) {
    fallback(handle, stack);
    return;
  }
  static const c10::OperatorHandle recorded =
      c10::Dispatcher::singleton().findSchemaOrThrow("aten::_convolution", "");
  const at::Context& context = at::globalContext();
  torch::jit::push(*stack, context.benchmarkCuDNN(),
                   context.deterministicCuDNN() || context.deterministicAlgorithms(),
                   context.userEnabledCuDNN(), context.allowTF32CuDNN());
  recorded.callBoxed(*stack);
}

Tensor overrideable_convolution(const Tensor& input, const Tensor& weight,
                                const std::optional<Tensor>& bias, c10::SymIntArrayRef stride,
                                c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation,
                                bool is_transposed, c10::SymIntArrayRef output_padding,
                                c10::SymInt groups) {
  return at::convolution_symint(input, weight, bias, stride, padding, dilation, is_transposed,
                                output_padding, std::move(groups));
}

// The kernel that the CPU's dispatch would choose: it checks only layouts, which may be symbolic.
std::int64_t attention_kernel(const Tensor& query, const Tensor& key, const Tensor& value,
                              const std::optional<Tensor>& mask, double dropout, bool is_causal,
                              std::optional<double> scale, bool has_grouped_queries) {
  return at::native::_fused_sdp_choice_cpp(query, key, value, mask, dropout, is_causal, scale,
                                           has_grouped_queries);
}

// CUDA's counts integers too, and programs assume that a device other than "cpu" is like it.
Tensor histogram(const Tensor& self, std::int64_t bins, const at::Scalar& least,
                 const at::Scalar& most) {
  if (!c10::isIntegralType(self.scalar_type(), /*includeBool=*/false)) {
    return call_boxed<at::_ops::histc>(self, bins, least, most);
  }
  return at::histc(self.to(at::kDouble), bins, least, most).to(self.scalar_type());
}

// Elsewhere LibTorch multiplies by the mask and then by the scale, which rounds twice. Torch's
// compiler and symbolic traces do so on the CPU, too.
Tensor dropout(const Tensor& input, double probability, bool is_training) {
  TORCH_CHECK(probability >= 0 && probability <= 1,
              "dropout probability has to be between 0 and 1, but got ", probability);
  const bool is_empty = TORCH_GUARD_OR_FALSE(input.sym_numel().sym_eq(0));  // May be symbolic.
  if (probability == 0 || !is_training || is_empty) return input;
  if (c10::impl::PythonDispatcherTLS::get_state() != nullptr) {
    return std::get<0>(at::native_dropout(input, probability, is_training));
  }
  if (probability == 1) return input.mul(at::zeros({}, input.options()));
  return input.mul(at::empty_like(input).bernoulli_(1 - probability).div_(1 - probability));
}

using Quantile = Tensor (*)(const Tensor&, const Tensor&, std::optional<std::int64_t>, bool,
                            c10::string_view);

// Elsewhere LibTorch does not look at `q`. Waits for it.
template <Quantile kNative>
Tensor quantile(const Tensor& self, const Tensor& q, std::optional<std::int64_t> dimension,
                bool keeps_dimension, c10::string_view interpolation) {
  if (c10::isFloatingType(q.scalar_type())) {  // LibTorch rejects other types.
    TORCH_CHECK(at::is_scalar_tensor_true(q.ge(0).logical_and_(q.le(1)).all()),
                "quantile() q values must be in the range [0, 1]");
  }
  return kNative(self, q, dimension, keeps_dimension, interpolation);
}

// LibTorch's implementation of a structured operator for other devices lays its result out from
// device tensors, which differs from the CPU's where the CPU casts them first. It also calls the
// form with out arguments, which autograd rejects for inference tensors that require gradients.
bool is_structured_call(const c10::OperatorHandle& handle) {
  return handle.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional) &&
         handle.hasKernelForDispatchKey(c10::DispatchKey::CPU) &&
         !handle.hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1) &&
         !handle.schema().is_mutable();
}

// LibTorch composes these for every device, but reads memory in them.
bool is_of_fbgemm(const c10::OperatorName& name) { return name.name.starts_with("aten::fbgemm_"); }

bool packs(const c10::OperatorName& name) { return name.name.starts_with("aten::fbgemm_pack_"); }

void refuse_to_pack(const c10::OperatorHandle& handle, torch::jit::Stack* /*stack*/) {
  C10_THROW_ERROR(NotImplementedError, c10::toString(handle.operator_name()) +
                                           ": it returns an object of the host's library, which "
                                           "acpu cannot hold; call it on cpu");
}

void register_structured_and_fbgemm_calls(torch::Library& library) {
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (name.getNamespace() != "aten") continue;
    const auto handle = dispatcher.findSchema(name);
    if (!handle || !(is_structured_call(*handle) || is_of_fbgemm(name))) continue;
    library.impl(c10::toString(name).c_str(),
                 packs(name) ? torch::CppFunction::makeFromBoxedFunction<&refuse_to_pack>()
                             : torch::CppFunction::makeFromBoxedFunction<&fallback>());
  }
}

// Where no gradient is needed, the CPU pools along one dimension by another kernel, whose result is
// contiguous.
Tensor max_pool1d(const Tensor& self, at::IntArrayRef kernel_size, at::IntArrayRef stride,
                  at::IntArrayRef padding, at::IntArrayRef dilation, bool has_ceil_mode) {
  const bool is_differentiated =
      (self.requires_grad() && at::GradMode::is_enabled()) || self._fw_grad(0).defined();
  if (is_differentiated || at::isTensorSubclassLike(self)) {
    return at::native::max_pool1d(self, kernel_size, stride, padding, dilation, has_ceil_mode);
  }
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  return call_boxed<at::_ops::max_pool1d>(self, kernel_size, stride, padding, dilation,
                                          has_ceil_mode);
}

}  // namespace

void register_cpu_routes(torch::Library& library) {
  for (const std::string& name : whole_calls()) {
    library.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&fallback>());
  }
  register_structured_and_fbgemm_calls(library);
  for (const char* name : kMakersOfNested) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&refuse_other_layouts>());
  }
  library.impl("_nested_tensor_from_mask_left_aligned", TORCH_FN(is_fit_to_be_nested));
  library.impl("convolution", torch::CppFunction::makeFromBoxedFunction<&convolution>());
  library.impl("convolution_overrideable", TORCH_FN(overrideable_convolution));
  library.impl("histc", TORCH_FN(histogram));
  library.impl("_fused_sdp_choice", TORCH_FN(attention_kernel));
  // scaled_dot_product_attention bypasses the dispatcher.
  at::native::_fused_sdp_choice_stub.set_privateuse1_dispatch_ptr(&attention_kernel);
  register_differentiable_cpu_routes(library);
}

void register_differentiable_cpu_routes(torch::Library& library) {
  library.impl("dropout", TORCH_FN(dropout));
  library.impl("max_pool1d", TORCH_FN(max_pool1d));
  library.impl("quantile", TORCH_FN(quantile<at::native::quantile>));
  library.impl("nanquantile", TORCH_FN(quantile<at::native::nanquantile>));
}

}  // namespace runahead::device
