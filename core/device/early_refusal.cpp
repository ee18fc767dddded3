#include "core/device/early_refusal.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/device/argument_tensors.h"

namespace runahead::device {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

at::Tensor emptied(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const bool is_wrapped_number = tensor.unsafeGetTensorImpl()->is_wrapped_number();
  if (is_wrapped_number && tensor.is_cpu()) return tensor;
  const at::DimVector sizes(static_cast<std::size_t>(tensor.dim()), 0);
  const at::TensorOptions options = at::TensorOptions(tensor.scalar_type()).device(at::kCPU);
  at::Tensor twin = sizes.empty() ? at::zeros(sizes, options) : at::empty(sizes, options);
  if (is_wrapped_number) twin.unsafeGetTensorImpl()->set_wrapped_number(true);
  return twin;
}

c10::IValue with_empty_tensors(const c10::IValue& value) {
  if (value.isDevice()) return c10::Device(at::kCPU);
  return with_tensors_replaced(
      value, [](const at::Tensor& tensor, std::optional<std::size_t>) { return emptied(tensor); });
}

// Of the first tensor that is defined.
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

// Kernels exist for each of these types wherever they exist for any, as a rule.
bool is_common(at::ScalarType type) {
  return type == at::kFloat || type == at::kDouble || type == at::kLong || type == at::kBool;
}

bool meets_rare_type(const OperatorPlan& plan, Arguments arguments) {
  if (plan.takes_empty_tensors) return false;  // Which tells without a wait.
  const auto type = first_type(arguments);
  if (!type || is_common(*type)) return false;
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(*type);
  return (plan.types_met.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

bool has_fractional_index(const OperatorPlan& plan, Arguments arguments) {
  const auto& schema = plan.handle.schema().arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = schema[i].name();
    if ((name != "index" && name != "indices") || !arguments[i].isTensor()) continue;
    const at::Tensor& index = arguments[i].toTensor();
    if (index.defined() && !c10::isIntegralType(index.scalar_type(), /*includeBool=*/false)) {
      return true;
    }
  }
  return false;
}

// Interpolation has kernels for floating-point types and bytes only.
bool interpolates_integers(const OperatorPlan& plan, Arguments arguments) {
  if (plan.name.find("::upsample_") == std::string::npos &&
      plan.name.find("::_upsample_") == std::string::npos) {
    return false;
  }
  const auto type = first_type(arguments);
  return type && !c10::isFloatingType(*type);
}

constexpr std::array<std::string_view, 4> kVariances{"aten::var", "aten::std", "aten::var_mean",
                                                     "aten::std_mean"};

// (self, dim, correction, keepdim)
bool is_variance_of_few(const OperatorPlan& plan, Arguments arguments) {
  const std::string& name = plan.handle.schema().name();
  if (std::find(kVariances.begin(), kVariances.end(), name) == kVariances.end()) return false;
  const at::Tensor& self = arguments[0].toTensor();
  std::int64_t count = self.numel();
  if (arguments[1].isIntList() && !arguments[1].toIntVector().empty()) {
    count = 1;
    for (const std::int64_t dimension : arguments[1].toIntVector()) count *= self.size(dimension);
  }
  const double correction =
      arguments.size() > 2 && arguments[2].isScalar() ? arguments[2].toScalar().toDouble() : 1.0;
  return static_cast<double>(count) <= correction;
}

bool shares_memory(const OperatorPlan& plan, const at::Tensor& written, const at::Tensor& other) {
  if (!written.is_alias_of(other)) return false;
  const at::MemOverlapStatus status = at::get_overlap_status(written, other);
  // Operators that go over elements may write what they read.
  return status != at::MemOverlapStatus::No &&
         !(plan.is_pointwise && status == at::MemOverlapStatus::Full);
}

}  // namespace

bool may_be_refused(const OperatorPlan& plan, Arguments arguments) {
  return has_huge_number(arguments) || meets_rare_type(plan, arguments) ||
         has_fractional_index(plan, arguments) || interpolates_integers(plan, arguments) ||
         is_variance_of_few(plan, arguments);
}

bool has_overlap(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.writes) return false;
  bool found = false;
  for (std::size_t i = 0; i < arguments.size() && !found; ++i) {
    const bool is_written =
        plan.arguments[i] == ArgumentUse::kWrite || plan.arguments[i] == ArgumentUse::kOverwrite;
    if (!is_written) continue;
    for_each_tensor(arguments[i], [&](const at::Tensor& written) {
      found |= at::has_internal_overlap(written) == at::MemOverlap::Yes;
      for (std::size_t j = 0; j < arguments.size(); ++j) {
        if (plan.arguments[j] != ArgumentUse::kRead) continue;
        for_each_tensor(arguments[j], [&](const at::Tensor& other) {
          found |= shares_memory(plan, written, other);
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

bool is_refused_when_empty(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments) {
  if (!plan.takes_empty_tensors) return false;
  torch::jit::Stack stack;
  for (const c10::IValue& argument : arguments) stack.push_back(with_empty_tensors(argument));
  if (plan.generator_argument >= 0) {
    stack[static_cast<std::size_t>(plan.generator_argument)] = at::detail::createCPUGenerator();
  }
  // The boxed out overloads return references to their arguments: these must outlive the call.
  const torch::jit::Stack kept = stack;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  try {
    plan.handle.callBoxed(stack);
    return false;
  } catch (const c10::Error&) {
    return true;
  }
}

}  // namespace runahead::device
