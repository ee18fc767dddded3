#include "core/device/dispatch/untried_variant.h"

#include <ATen/core/Tensor.h>
#include <c10/util/hash.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/dispatch/early_refusal.h"

namespace runahead::device {
namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

// Whether an argument of this name is for tensors of integers, or of booleans, next to others.
bool is_name_for(at::ScalarType type, std::string_view name) {
  return type == at::kBool ? contains_any(name, {"mask", "indices", "condition"})
                           : contains_any(name, {"index", "indices", "target", "length", "offset",
                                                 "bag", "sorter", "batch_sizes"});
}

// As a rule, kernels that have any loops have them for these types.
bool is_common(const OperatorPlan& plan, std::size_t argument, at::ScalarType type, bool is_first) {
  if (type == at::kFloat || type == at::kDouble) return true;
  if (type != at::kLong && type != at::kBool) return false;
  if (plan.traits.takes_integers) return type == at::kLong || plan.reads_tensors;
  return !is_first && !plan.draws_random_numbers &&
         is_name_for(type, plan.handle.schema().arguments()[argument].name());
}

// Whether arguments of this name always have this type, whatever else is read: functions pass such
// results to their kernels themselves.
bool has_type_of_name(const OperatorPlan& plan, std::size_t argument, at::ScalarType type) {
  const std::string& name = plan.handle.schema().arguments()[argument].name();
  if (name == "info" || name == "pivots") return type == at::kInt;
  return type == at::kLong && (name == "indices" || name == "inverse_indices" || name == "counts");
}

// The type to compute in, if the call names one.
std::optional<at::ScalarType> named_dtype(const OperatorPlan& plan, Arguments arguments) {
  if (plan.dtype_argument < 0) return std::nullopt;
  const c10::IValue& dtype = arguments[static_cast<std::size_t>(plan.dtype_argument)];
  return dtype.isInt() ? std::optional(dtype.toScalarType()) : std::nullopt;
}

bool has_rare_type(const OperatorPlan& plan, Arguments arguments) {
  const auto named = named_dtype(plan, arguments);
  bool is_first = true;
  bool is_rare = named && named != at::kFloat && named != at::kDouble && named != at::kLong;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (plan.structured_form && plan.is_out(i)) continue;
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      const at::ScalarType type = tensor.scalar_type();
      is_rare |= !is_common(plan, i, type, is_first) && !has_type_of_name(plan, i, type);
      is_first = false;
    });
  }
  return is_rare;
}

// Whether an out argument has another type than the first input, indices and masks aside: whether
// the kernel converts shows only when it runs. Shape functions give the types of results.
bool has_other_out_type(const OperatorPlan& plan, Arguments arguments) {
  if (!plan.has_out_arguments || plan.structured_form) return false;
  std::optional<at::ScalarType> read;
  bool is_other = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = plan.handle.schema().arguments()[i].name();
    const bool is_index = is_name_for(at::kLong, name) || is_name_for(at::kBool, name);
    for_each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      const at::ScalarType type = tensor.scalar_type();
      if (!read && !is_index) read = type;
      is_other |= plan.is_out(i) && read && type != read && !has_type_of_name(plan, i, type);
    });
  }
  return is_other;
}

// Mixes a word into a hash as SplitMix64 (Steele, Lea and Flood, 2014) does: the words are small
// numbers, of which c10::hash_combine makes equal hashes.
std::size_t combine(std::size_t hash, std::size_t word) {
  hash += word + 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

std::size_t hash_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return 0;
  const c10::IntArrayRef sizes = tensor.sizes();
  const bool may_skip_loops = std::find(sizes.begin(), sizes.end(), 1) != sizes.end();
  const std::size_t flags = (tensor.is_contiguous() ? 1U : 0U) + (may_skip_loops ? 2U : 0U);
  const auto type = static_cast<std::size_t>(tensor.scalar_type());
  return combine(combine(combine(10, type), sizes.size()), flags);
}

std::size_t hash_of(const c10::IValue& value) {
  if (value.isTensor()) return hash_of(value.toTensor());
  if (value.isBool()) return value.toBool() ? 1 : 2;
  if (value.isInt()) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(value.toInt(), -1, 2) + 4);
  }
  if (value.isString()) return c10::get_hash(value.toStringRef());
  if (!value.isList()) return value.isNone() ? 8 : 7;
  std::size_t hash = 9;
  std::size_t last = 0;
  // Runs of equal elements count once: a list of tensors may grow with each call.
  for (const c10::IValue& element : value.toListRef()) {
    const std::size_t next = hash_of(element);
    if (next != last) hash = combine(hash, next);
    last = next;
  }
  return hash;
}

std::size_t variant_of(const OperatorPlan& plan, Arguments arguments) {
  const auto named = named_dtype(plan, arguments).value_or(at::ScalarType::Undefined);
  std::size_t hash = combine(arguments.size(), static_cast<std::size_t>(named));
  for (const c10::IValue& argument : arguments) hash = combine(hash, hash_of(argument));
  return hash;
}

}  // namespace

bool is_untried_variant(const OperatorPlan& plan, Arguments arguments) {
  if (plan.takes_empty_tensors && !plan.draws_random_numbers) return false;
  return (has_rare_type(plan, arguments) || has_other_out_type(plan, arguments)) &&
         !plan.variants_taken.contains(variant_of(plan, arguments));
}

void note_variant(const OperatorPlan& plan, Arguments arguments, Arguments returns) {
  const auto is_empty = [](const at::Tensor& tensor) { return tensor.numel() == 0; };
  if (has_empty_operand(plan, arguments) || any_tensor(returns, is_empty)) return;
  plan.variants_taken.add(variant_of(plan, arguments));
}

}  // namespace runahead::device
