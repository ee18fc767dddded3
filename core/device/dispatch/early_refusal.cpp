#include "core/device/dispatch/early_refusal.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/device/dispatch/argument_tensors.h"

namespace runahead::device {
namespace {

at::Tensor emptied(const at::Tensor& tensor, bool is_out) {
  if (!tensor.defined()) return tensor;
  const bool is_wrapped_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
  if (is_wrapped_number && tensor.is_cpu()) return tensor;
  const at::TensorOptions options = at::TensorOptions(tensor.scalar_type()).device(at::kCPU);
  if (is_out) return at::zeros(0, options);  // No warning follows if the kernel resizes it.
  // Kernels may treat a single element as a number.
  const std::int64_t size = tensor.numel() == 1 ? 1 : 0;
  at::Tensor twin = at::zeros(at::DimVector(tensor.sizes().size(), size), options);
  if (is_wrapped_number) twin.unsafeGetTensorImpl()->set_wrapped_number(true);
  return twin;
}

c10::IValue with_empty_tensors(const c10::IValue& value, bool is_out) {
  if (value.isDevice()) return c10::Device(at::kCPU);
  return with_tensors_replaced(value,
                               [is_out](const at::Tensor& tensor, std::optional<std::size_t>) {
                                 return emptied(tensor, is_out);
                               });
}

// The type of the first defined tensor.
std::optional<at::ScalarType> first_type(Arguments arguments) {
  std::optional<at::ScalarType> type;
  for (const c10::IValue& argument : arguments) {
    for_each_tensor(argument, [&](const at::Tensor& tensor) {
      if (!type) type = tensor.scalar_type();
    });
    if (type) break;
  }
  return type;
}

bool has_huge_number(Arguments arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const c10::IValue& value) {
    return value.isDouble() && c10::overflows<float, double>(value.toDouble());
  });
}

template <typename Value>
bool overflows(Value value, at::ScalarType type) {
  switch (type) {
    case at::kByte:
      return c10::overflows<std::uint8_t>(value);
    case at::kChar:
      return c10::overflows<std::int8_t>(value);
    case at::kShort:
      return c10::overflows<std::int16_t>(value);
    case at::kInt:
      return c10::overflows<std::int32_t>(value);
    case at::kHalf:
      return c10::overflows<at::Half>(value);
    case at::kBFloat16:
      return c10::overflows<at::BFloat16>(value);
    default:
      return false;
  }
}

// Whether the type that the call most likely computes in cannot hold a number.
bool has_number_beyond_type(const OperatorPlan& plan, Arguments arguments) {
  if (plan.number_arguments.empty()) return false;
  const auto type = first_type(arguments);
  if (!type) return false;
  return std::any_of(plan.number_arguments.begin(), plan.number_arguments.end(), [&](auto i) {
    const c10::IValue& value = arguments[i];
    return value.isInt() ? overflows(value.toInt(), *type)
                         : value.isDouble() && overflows(value.toDouble(), *type);
  });
}

bool has_infinity_for_integers(Arguments arguments) {
  const bool has_infinity = std::any_of(arguments.begin(), arguments.end(), [](const auto& value) {
    return value.isDouble() && !std::isfinite(value.toDouble());
  });
  if (!has_infinity) return false;
  const auto type = first_type(arguments);
  return type && c10::isIntegralType(*type, /*includeBool=*/true);
}

bool has_complex_number_for_real(Arguments arguments) {
  const bool has_complex = std::any_of(arguments.begin(), arguments.end(),
                                       [](const auto& value) { return value.isComplexDouble(); });
  if (!has_complex) return false;
  const auto type = first_type(arguments);
  return type && !c10::isComplexType(*type);
}

std::size_t list_length(const c10::IValue& value) {
  return value.isTensorList() ? value.toListRef().size() : 0;
}

// Whether lists that belong together, as those of parameters and gradients do, differ in length.
// Empty lists stand for what a call leaves out.
bool has_uneven_lists(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.writes || !plan.is_of_libtorch) return false;
  std::size_t written = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_written(plan.arguments[i])) written = std::max(written, list_length(arguments[i]));
  }
  return written > 0 && std::any_of(arguments.begin(), arguments.end(), [=](const auto& value) {
           const std::size_t length = list_length(value);
           return length != 0 && length != written;
         });
}

// Whether a fused update lacks a list, or has one that its other arguments leave out.
bool has_unfit_state(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.is_fused_update) return false;
  const auto& schema = plan.handle.schema();
  const auto named = [&](std::string_view name) -> const c10::IValue& {
    return arguments[static_cast<std::size_t>(*schema.argumentIndexWithName(name))];
  };
  const std::size_t count = list_length(arguments[0]);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isTensorList()) continue;
    const std::string& name = schema.arguments()[i].name();
    const bool is_left_out =
        (name == "momentum_buffer_list" && named("momentum").toDouble() == 0.0) ||
        (name == "max_exp_avg_sqs" && !named("amsgrad").toBool());
    if (list_length(arguments[i]) != (is_left_out ? 0 : count)) return true;
  }
  return false;
}

// Whether LibTorch has to broadcast the mask to what it masks.
bool spreads_mask(const OperatorPlan& plan, Arguments arguments) {
  return plan.traits.spreads_mask &&
         arguments[0].toTensor().sizes() != arguments[1].toTensor().sizes();
}

// Whether a tensor does not broadcast to what is filled from it.
bool fills_from_misfit(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.fills_in_place() || plan.traits.spreads_mask) return false;
  const at::Tensor& filled = arguments[0].toTensor();
  return std::any_of(arguments.begin() + 1, arguments.end(), [&](const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() &&
           !at::is_expandable_to(value.toTensor().sizes(), filled.sizes());
  });
}

// Whether indices are no integers, or refer to a tensor without elements.
bool has_unfit_index(const OperatorPlan& plan, Arguments arguments) {
  if (plan.index_argument < 0) return false;
  const c10::IValue& value = arguments[static_cast<std::size_t>(plan.index_argument)];
  if (!value.isTensor() || !value.toTensor().defined()) return false;
  const at::Tensor& index = value.toTensor();
  if (!c10::isIntegralType(index.scalar_type(), /*includeBool=*/false)) return true;
  return arguments[0].isTensor() && arguments[0].toTensor().numel() == 0 && index.numel() != 0;
}

// Interpolation has kernels for floating-point types and bytes only.
bool interpolates_integers(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.is_interpolation) return false;
  const auto type = first_type(arguments);
  return type && !c10::isFloatingType(*type);
}

// The bound up to which a floating-point type represents all integers exactly.
std::int64_t exact_integers(at::ScalarType type) {
  if (type == at::kDouble) return std::int64_t{1} << 53;
  if (type == at::kFloat) return std::int64_t{1} << 24;
  return std::int64_t{1} << (type == at::kHalf ? 11 : 8);
}

// The kernel warns about bounds that a floating-point type cannot represent exactly.
bool draws_rounded(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.traits.draws_whole_numbers) return false;
  const at::ScalarType type = arguments[0].toTensor().scalar_type();
  if (!c10::isFloatingType(type)) return false;
  const std::int64_t exact = exact_integers(type);
  return std::any_of(arguments.begin(), arguments.end(), [exact](const c10::IValue& bound) {
    return bound.isInt() && (bound.toInt() > exact || bound.toInt() < -exact);
  });
}

// LibTorch checks the values of such deviations before it draws, on every device.
bool draws_with_deviations(const OperatorPlan& plan, Arguments arguments) {
  return plan.traits.takes_deviations && arguments.size() > 1 && arguments[1].isTensor();
}

bool objects_to_deterministic_mode(const OperatorPlan& plan) {
  return plan.traits.is_not_deterministic && at::globalContext().deterministicAlgorithms();
}

// The caller of such an operator wants to know at once whether a matrix was singular.
bool checks_values(const OperatorPlan& plan, Arguments arguments) {
  if (plan.check_errors_argument < 0) return plan.traits.looks_at_values;
  return arguments[static_cast<std::size_t>(plan.check_errors_argument)].toBool();
}

// (self, dim, correction, keepdim)
bool is_variance_of_few(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.traits.is_variance) return false;
  const at::Tensor& self = arguments[0].toTensor();
  std::int64_t count = self.numel();
  if (self.dim() > 0 && arguments[1].isIntList() && !arguments[1].toIntVector().empty()) {
    count = 1;
    for (const std::int64_t dimension : arguments[1].toIntVector()) count *= self.size(dimension);
  }
  const double correction =
      arguments.size() > 2 && arguments[2].isScalar() ? arguments[2].toScalar().toDouble() : 1.0;
  return static_cast<double>(count) <= correction;
}

// Whether the kernel may have to reject that `written` shares memory with `other`, the argument at
// `position`. LibTorch runs an operation in place by passing the first argument as the result too.
bool shares_memory(const OperatorPlan& plan, const at::Tensor& written, const at::Tensor& other,
                   std::size_t position) {
  if (!written.is_alias_of(other)) return false;
  if (position == 0 && written.is_same(other) && plan.has_in_place_form) return false;
  const at::MemOverlapStatus status = at::get_overlap_status(written, other);
  return status == at::MemOverlapStatus::Partial ||
         (status == at::MemOverlapStatus::Full && !plan.is_elementwise);
}

}  // namespace

bool may_be_refused(const OperatorPlan& plan, Arguments arguments) {
  return has_huge_number(arguments) || has_number_beyond_type(plan, arguments) ||
         has_infinity_for_integers(arguments) || has_complex_number_for_real(arguments) ||
         has_uneven_lists(plan, arguments) || has_unfit_state(plan, arguments) ||
         may_refuse_indices(plan, arguments) || spreads_mask(plan, arguments) ||
         fills_from_misfit(plan, arguments) || has_unfit_index(plan, arguments) ||
         interpolates_integers(plan, arguments) ||
         (plan.dislikes_empty_tensors && has_empty_operand(plan, arguments)) ||
         draws_rounded(plan, arguments) || draws_with_deviations(plan, arguments) ||
         is_variance_of_few(plan, arguments) || objects_to_deterministic_mode(plan) ||
         checks_values(plan, arguments) || !plan.has_cpu_kernel;
}

bool has_empty_operand(const OperatorPlan& plan, Arguments arguments) {
  const auto is_empty = [](const at::Tensor& tensor) { return tensor.numel() == 0; };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (plan.arguments[i] == ArgumentUse::kOverwrite) continue;
    if (any_tensor(arguments[i], is_empty)) return true;
  }
  return false;
}

bool has_mixed_types(const OperatorPlan& plan, Arguments arguments) {
  if (plan.takes_empty_tensors) return false;
  std::optional<at::ScalarType> met;
  bool are_mixed = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (plan.arguments[i] == ArgumentUse::kOverwrite) continue;
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      const at::ScalarType type = tensor.scalar_type();
      if (c10::isIntegralType(type, /*includeBool=*/true)) return;
      are_mixed |= met && *met != type;
      met = type;
    });
  }
  return are_mixed;
}

bool has_overlap(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.writes) return false;
  bool found = false;
  for (std::size_t i = 0; i < arguments.size() && !found; ++i) {
    if (!is_written(plan.arguments[i])) continue;
    for_each_tensor(arguments[i], [&](const at::Tensor& written) {
      found |= at::has_internal_overlap(written) == at::MemOverlap::Yes;
      for (std::size_t j = 0; j < arguments.size(); ++j) {
        if (plan.arguments[j] != ArgumentUse::kRead) continue;
        for_each_tensor(arguments[j], [&](const at::Tensor& other) {
          found |= shares_memory(plan, written, other, j) ||
                   (plan.is_out(i) && written.numel() == 0 &&
                    written.storage().is_alias_of(other.storage()));  // Once it is resized.
        });
      }
    });
  }
  return found;
}

void refuse_sparse_results(const OperatorPlan& plan, Arguments arguments) {
  if (plan.sparse_argument < 0) return;
  const c10::IValue& is_sparse = arguments[static_cast<std::size_t>(plan.sparse_argument)];
  TORCH_CHECK_NOT_IMPLEMENTED(!is_sparse.isBool() || !is_sparse.toBool(), plan.name,
                              ": sparse=True asks for sparse gradients, and acpu has strided "
                              "tensors only; leave it out, or call it on cpu");
}

bool is_refused_when_empty(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.takes_empty_tensors) return false;
  torch::jit::Stack stack;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    stack.push_back(with_empty_tensors(arguments[i], plan.is_out(i)));
  }
  if (plan.generator_argument >= 0) {
    stack[static_cast<std::size_t>(plan.generator_argument)] = at::detail::createCPUGenerator();
  }
  // The boxed out overloads return references to their arguments: these must outlive the call.
  const torch::jit::Stack kept = stack;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const c10::impl::ExcludeDispatchKeyGuard without_autocast(c10::autocast_dispatch_keyset);
  try {
    plan.handle.callBoxed(stack);
    return false;
  } catch (const c10::Error&) {
    return true;
  }
}

}  // namespace runahead::device
