#include "core/device/dispatch/operator_plan.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/device/dispatch/value_dependence.h"
#include "core/device/layouts/shape_function.h"

namespace runahead::device {
namespace {

ArgumentUse use_of(const OperatorTraits& traits, const c10::Argument& argument) {
  const c10::AliasInfo* alias = argument.alias_info();
  if (alias == nullptr) return ArgumentUse::kRead;
  if (!alias->isWrite()) return ArgumentUse::kAlias;
  if (argument.is_out()) return ArgumentUse::kOverwrite;
  return traits.overwrites ? ArgumentUse::kOverwrite : ArgumentUse::kWrite;
}

bool share_alias_set(const c10::AliasInfo& argument, const c10::AliasInfo& returned) {
  if (argument == returned) return true;
  const auto& sets = argument.beforeSets();  // Not equal for `Tensor(a -> *) x -> Tensor(a)[]`.
  return std::ranges::any_of(returned.containedTypes(), [&](const c10::AliasInfo& element) {
    return std::ranges::any_of(element.beforeSets(),
                               [&](const c10::Symbol& set) { return sets.contains(set); });
  });
}

int argument_returned(const c10::FunctionSchema& schema, const c10::Argument& returned) {
  if (returned.alias_info() == nullptr) return OperatorPlan::kFresh;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
    const bool is_list = schema.arguments()[i].real_type()->kind() == c10::TypeKind::ListType;
    if (alias == nullptr || (is_list && !alias->isWrite())) continue;  // Which element is unknown.
    if (share_alias_set(*alias, *returned.alias_info())) return static_cast<int>(i);
  }
  return OperatorPlan::kFresh;
}

bool is_tensor_type(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::TensorType) return true;
  const auto contained = type.containedTypes();
  return !contained.empty() && is_tensor_type(*contained[0]);
}

bool never(Arguments) { return false; }

bool has_data_dependent_tag(const c10::OperatorHandle& handle) {
  return handle.hasTag(at::Tag::dynamic_output_shape) ||
         handle.hasTag(at::Tag::data_dependent_output);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Notes what the name implies, since whole families of operators share it.
void note_name(OperatorPlan& plan, const std::string& name) {
  plan.is_of_libtorch = name.starts_with("aten::");
  for (const std::string_view part : {"_backward", "_pool", "median", "::mode", "::histc"}) {
    plan.dislikes_empty_tensors |= contains(name, part);
  }
  plan.is_interpolation = contains(plan.name, "upsample_");
  for (const std::string_view part : {"aten::_fused_sgd", "aten::_fused_ada"}) {
    plan.is_fused_update |= contains(name, part);
  }
}

// `Scalar` for `Scalar_out`, nothing for `out`.
std::string overload_without_out(const std::string& overload) {
  for (const std::string_view suffix : {"_out", "out", "grad_input"}) {
    if (overload.ends_with(suffix)) return overload.substr(0, overload.size() - suffix.size());
  }
  return overload;
}

// LibTorch leaves the tag out at some overloads that write a given result.
bool is_pointwise(const c10::OperatorHandle& handle) {
  if (handle.hasTag(at::Tag::pointwise)) return true;
  const auto& [name, overload] = handle.operator_name();
  const auto fresh = c10::Dispatcher::singleton().findOp({name, overload_without_out(overload)});
  return fresh && fresh->hasTag(at::Tag::pointwise);
}

bool has_in_place_form(const c10::OperatorName& of) {
  const auto exists = [&of](const std::string& overload) {
    return c10::Dispatcher::singleton().findOp({of.name + "_", overload}).has_value();
  };
  return exists(overload_without_out(of.overload_name)) || exists("");
}

void note_argument(OperatorPlan& plan, const c10::Argument& argument) {
  const int position = static_cast<int>(plan.arguments.size());
  const ArgumentUse use = use_of(plan.traits, argument);
  plan.arguments.push_back(use);
  plan.writes |= is_written(use);
  plan.has_out_arguments |= argument.is_out();
  const c10::Type& type = *argument.real_type();
  plan.reads_tensors |= use == ArgumentUse::kRead && is_tensor_type(type);
  const bool is_index = argument.name() == "index" || argument.name() == "indices" ||
                        (plan.traits.takes_classes && argument.name() == "target");
  if (is_index && type.kind() == c10::TypeKind::TensorType) plan.index_argument = position;
  plan.takes_indices |= argument.name() == "indices" && type.kind() == c10::TypeKind::ListType;
  const auto* optional = type.castRaw<c10::OptionalType>();
  const c10::Type& given = optional == nullptr ? type : *optional->getElementType();
  if (given.kind() == c10::TypeKind::NumberType) {
    plan.number_arguments.push_back(static_cast<std::size_t>(position));
  }
  if (argument.name() == "dtype") plan.dtype_argument = position;
  if (argument.name() == "check_errors") plan.check_errors_argument = position;
  if (argument.name() == "sparse") plan.sparse_argument = position;
  if (argument.name() == "output_mask") plan.output_mask_argument = position;
  if (contains(type.str(), "Generator")) plan.generator_argument = position;
}

void note_return(OperatorPlan& plan, const c10::Argument& returned) {
  plan.returns.push_back(argument_returned(plan.handle.schema(), returned));
  plan.returns_other_than_tensors |= returned.real_type()->kind() != c10::TypeKind::TensorType;
}

bool hides_writes(const OperatorPlan& plan) {
  return plan.writes && !plan.is_of_libtorch &&
         !plan.handle.hasKernelForDispatchKey(c10::DispatchKey::ADInplaceOrView);
}

bool has_meta_kernel(const OperatorPlan& plan) {
  return plan.handle.hasKernelForDispatchKey(c10::DispatchKey::Meta) &&
         !plan.traits.distrusts_meta_kernel;
}

bool has_cpu_kernel(const OperatorPlan& plan) {
  return plan.handle.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU);
}

// Programs may register kernels of their own operators after the first call; as in LibTorch, not
// while another thread calls the operator.
bool has_gained_kernels(const OperatorPlan& plan) {
  if (plan.is_of_libtorch) return false;
  return (!plan.has_meta_kernel && has_meta_kernel(plan)) ||
         (!plan.has_cpu_kernel && has_cpu_kernel(plan)) ||
         (plan.hides_writes && !hides_writes(plan));
}

std::unique_ptr<OperatorPlan> make_plan(const c10::OperatorHandle& handle) {
  const c10::FunctionSchema& schema = handle.schema();
  auto made = std::make_unique<OperatorPlan>(handle);
  OperatorPlan& plan = *made;
  plan.name = c10::toString(handle.operator_name());
  plan.traits = traits_of(handle.operator_name());
  note_name(plan, schema.name());
  plan.is_pointwise = plan.is_of_libtorch && is_pointwise(handle);
  plan.is_elementwise = plan.is_pointwise || schema.name().starts_with("aten::_foreach");
  plan.has_in_place_form = has_in_place_form(handle.operator_name());
  plan.takes_empty_tensors = plan.is_pointwise || plan.traits.is_filling;
  for (const c10::Argument& argument : schema.arguments()) note_argument(plan, argument);
  const bool has_aliases = std::find(plan.arguments.begin(), plan.arguments.end(),
                                     ArgumentUse::kAlias) != plan.arguments.end();
  plan.is_view = has_aliases && !plan.writes && plan.is_of_libtorch;
  const bool draws_from_host =
      plan.generator_argument < 0 && handle.hasTag(at::Tag::nondeterministic_seeded);
  plan.always_waits = !plan.is_of_libtorch && (has_aliases || draws_from_host);
  for (const int hidden : plan.traits.hidden_writes) {
    if (hidden >= 0) plan.arguments[static_cast<std::size_t>(hidden)] = ArgumentUse::kWrite;
  }
  for (const c10::Argument& returned : schema.returns()) note_return(plan, returned);
  plan.hides_writes = hides_writes(plan);
  plan.draws_random_numbers =
      plan.generator_argument >= 0 || handle.hasTag(at::Tag::nondeterministic_seeded);
  plan.depends_on_device_values = plan.traits.depends_on_values;
  if (plan.depends_on_device_values == nullptr) {
    plan.depends_on_device_values = has_data_dependent_tag(handle) ? always : never;
  }
  plan.has_meta_kernel = has_meta_kernel(plan);
  plan.has_cpu_kernel = has_cpu_kernel(plan);
  plan.is_structured = contains(handle.dumpState(), "RegisterMeta");
  if (plan.is_structured && !plan.takes_indices && !plan.traits.is_whole_call &&
      !plan.traits.distrusts_meta_kernel) {
    plan.structured_form = structured_form(handle);
  }
  return made;
}

}  // namespace

bool OperatorPlan::takes_host_tensor(std::size_t argument, const at::Tensor& tensor) const {
  if (!is_of_libtorch || tensor.dim() == 0) return true;
  const std::string& called = handle.schema().arguments()[argument].name();
  const auto& names = traits.host_arguments;
  return !called.empty() && std::find(names.begin(), names.end(), called) != names.end();
}

class PlanCache::DeregistrationListener final : public c10::OpRegistrationListener {
 public:
  explicit DeregistrationListener(PlanCache& plans) noexcept : plans_(plans) {}
  void onOperatorRegistered(const c10::OperatorHandle&) override {}
  void onOperatorDeregistered(const c10::OperatorHandle& handle) override { plans_.forget(handle); }

 private:
  PlanCache& plans_;
};

PlanCache::PlanCache()
    : listener_(c10::Dispatcher::singleton().addRegistrationListener(
          std::make_unique<DeregistrationListener>(*this))) {}

const OperatorPlan& PlanCache::of(const c10::OperatorHandle& handle) {
  const c10::FunctionSchema* key = &handle.schema();
  {
    const std::shared_lock lock(mutex_);
    const auto found = plans_.find(key);
    if (found != plans_.end() && !has_gained_kernels(*found->second)) return *found->second;
  }
  std::unique_ptr<const OperatorPlan> made = make_plan(handle);
  const std::unique_lock lock(mutex_);
  std::unique_ptr<const OperatorPlan>& plan = plans_[key];
  if (plan != nullptr && has_gained_kernels(*plan)) retired_plans_.push_back(std::move(plan));
  if (plan == nullptr) plan = std::move(made);
  return *plan;
}

void PlanCache::forget(const c10::OperatorHandle& handle) {
  const std::unique_lock lock(mutex_);
  const auto found = plans_.find(&handle.schema());
  if (found == plans_.end()) return;
  found->second->is_gone.store(true);
  retired_plans_.push_back(std::move(found->second));
  plans_.erase(found);
}

}  // namespace runahead::device
