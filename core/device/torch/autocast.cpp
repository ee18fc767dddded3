#include "core/device/torch/autocast.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/device/dispatch/argument_tensors.h"

namespace runahead::device {
namespace {

constexpr c10::DeviceType kDevice = c10::DeviceType::PrivateUse1;

// LibTorch exports which operators have a policy on the CPU, but not which policy. Those in neither
// list compute in float32.
constexpr std::array<std::string_view, 24> kLowerPrecision{"_addmm_activation",
                                                           "_convolution.deprecated",
                                                           "_native_multi_head_attention",
                                                           "addbmm",
                                                           "addmm",
                                                           "baddbmm",
                                                           "bmm",
                                                           "conv1d",
                                                           "conv1d.padding",
                                                           "conv2d",
                                                           "conv2d.padding",
                                                           "conv3d",
                                                           "conv3d.padding",
                                                           "conv_tbc",
                                                           "conv_transpose1d",
                                                           "conv_transpose2d.input",
                                                           "conv_transpose3d.input",
                                                           "linalg_vecdot",
                                                           "linear",
                                                           "matmul",
                                                           "mkldnn_rnn_layer",
                                                           "mm",
                                                           "prelu",
                                                           "scaled_dot_product_attention"};
constexpr std::array<std::string_view, 4> kWidestOfArguments{"cat", "index_copy",
                                                             "index_copy.dimname", "stack"};

using DtypeOf = at::ScalarType (*)(c10::ArrayRef<c10::IValue> arguments);

at::ScalarType lower_precision(c10::ArrayRef<c10::IValue>) {
  return at::autocast::get_autocast_dtype(kDevice);
}

at::ScalarType single_precision(c10::ArrayRef<c10::IValue>) { return at::kFloat; }

at::ScalarType widest_of_arguments(c10::ArrayRef<c10::IValue> arguments) {
  at::ScalarType widest = at::autocast::get_autocast_dtype(kDevice);
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      widest = at::autocast::prioritize(widest, tensor, kDevice);
    });
  }
  return widest;
}

template <DtypeOf kDtypeOf>
void call_with_cast_arguments(const c10::OperatorHandle& handle, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard without_autocast(c10::DispatchKey::AutocastPrivateUse1);
  const std::size_t first = stack->size() - handle.schema().arguments().size();
  const at::ScalarType dtype = kDtypeOf(c10::ArrayRef<c10::IValue>(*stack).slice(first));
  for (std::size_t i = first; i < stack->size(); ++i) {
    (*stack)[i] = with_tensors_replaced(
        (*stack)[i], [dtype](const at::Tensor& tensor, std::optional<std::size_t>) {
          return at::autocast::cached_cast(dtype, tensor, kDevice);
        });
  }
  handle.callBoxed(stack);
}

torch::CppFunction kernel_of(std::string_view name) {
  if (std::ranges::find(kLowerPrecision, name) != kLowerPrecision.end()) {
    return torch::CppFunction::makeFromBoxedFunction<&call_with_cast_arguments<lower_precision>>();
  }
  if (std::ranges::find(kWidestOfArguments, name) != kWidestOfArguments.end()) {
    return torch::CppFunction::makeFromBoxedFunction<
        &call_with_cast_arguments<widest_of_arguments>>();
  }
  return torch::CppFunction::makeFromBoxedFunction<&call_with_cast_arguments<single_precision>>();
}

}  // namespace

std::optional<at::ScalarType> present_autocast() {
  if (!at::autocast::is_autocast_enabled(kDevice)) return std::nullopt;
  return at::autocast::get_autocast_dtype(kDevice);
}

CpuAutocastScope::CpuAutocastScope(std::optional<at::ScalarType> dtype)
    : was_on_(at::autocast::is_autocast_enabled(c10::DeviceType::CPU)),
      dtype_before_(at::autocast::get_autocast_dtype(c10::DeviceType::CPU)) {
  if (dtype) at::autocast::set_autocast_dtype(c10::DeviceType::CPU, *dtype);
  if (dtype.has_value() != was_on_) {
    at::autocast::set_autocast_enabled(c10::DeviceType::CPU, dtype.has_value());
  }
}

CpuAutocastScope::~CpuAutocastScope() {
  at::autocast::set_autocast_enabled(c10::DeviceType::CPU, was_on_);
  at::autocast::set_autocast_dtype(c10::DeviceType::CPU, dtype_before_);
}

void register_autocast(torch::Library& library) {
  constexpr std::string_view kNamespace = "aten::";
  for (const c10::OperatorName& operator_name :
       c10::Dispatcher::singleton().getRegistrationsForDispatchKey(c10::DispatchKey::AutocastCPU)) {
    std::string name = toString(operator_name);
    if (!name.starts_with(kNamespace)) continue;
    name.erase(0, kNamespace.size());
    library.impl(name.c_str(), kernel_of(name));
  }
}

}  // namespace runahead::device
