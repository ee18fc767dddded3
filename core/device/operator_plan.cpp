#include "core/device/operator_plan.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace runahead::device {
namespace {

// In-place operators that look at nothing of what they replace.
constexpr std::array<std::string_view, 13> kOverwritingOperators{
    "aten::fill_",       "aten::zero_",      "aten::normal_",    "aten::uniform_",
    "aten::random_",     "aten::cauchy_",    "aten::geometric_", "aten::exponential_",
    "aten::log_normal_", "aten::bernoulli_", "aten::eye_",       "aten::arange_",
    "aten::randperm_"};

// Operators whose Meta kernel promises what the CPU kernel does not return. Only a process with
// Python has these: LibTorch registers some Meta kernels there.
constexpr std::array<std::string_view, 9> kMisledByMetaKernel{
    "aten::native_batch_norm",
    "aten::_native_batch_norm_legit",
    "aten::_embedding_bag",
    "aten::_embedding_bag_forward_only",
    "aten::_batch_norm_with_update",
    "aten::mkldnn_rnn_layer",
    "aten::mkldnn_rnn_layer_backward",
    "aten::multilabel_margin_loss_forward",
    "aten::_scaled_dot_product_flash_attention_for_cpu"};

// Operators that change arguments without their schema saying so: the running statistics.
struct HiddenWrite {
  std::string_view name;
  std::array<std::size_t, 2> arguments;
};
constexpr std::array<HiddenWrite, 2> kHiddenWrites{
    {{"aten::native_batch_norm", {3, 4}}, {"aten::batch_norm_update_stats", {1, 2}}}};

ArgumentUse use_of(const c10::FunctionSchema& schema, const c10::Argument& argument) {
  const c10::AliasInfo* alias = argument.alias_info();
  if (alias == nullptr) return ArgumentUse::kRead;
  if (!alias->isWrite()) return ArgumentUse::kAlias;
  if (argument.is_out()) return ArgumentUse::kOverwrite;
  const auto found =
      std::find(kOverwritingOperators.begin(), kOverwritingOperators.end(), schema.name());
  return found != kOverwritingOperators.end() ? ArgumentUse::kOverwrite : ArgumentUse::kWrite;
}

int argument_returned(const c10::FunctionSchema& schema, const c10::Argument& returned) {
  if (returned.alias_info() == nullptr) return OperatorPlan::kFresh;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
    if (alias != nullptr && *alias == *returned.alias_info()) return static_cast<int>(i);
  }
  return OperatorPlan::kFresh;
}

bool is_tensor_type(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::TensorType) return true;
  const auto contained = type.containedTypes();
  return !contained.empty() && is_tensor_type(*contained[0]);
}

OperatorPlan make_plan(const c10::OperatorHandle& handle) {
  const c10::FunctionSchema& schema = handle.schema();
  OperatorPlan plan{.handle = handle, .name = c10::toString(handle.operator_name())};
  bool writes = false;
  bool aliases = false;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    plan.arguments.push_back(use_of(schema, argument));
    writes |= plan.arguments.back() == ArgumentUse::kWrite ||
              plan.arguments.back() == ArgumentUse::kOverwrite;
    aliases |= plan.arguments.back() == ArgumentUse::kAlias;
    plan.has_out_arguments |= argument.is_out();
    const c10::Type& type = *argument.real_type();
    plan.reads_tensors |= plan.arguments.back() == ArgumentUse::kRead && is_tensor_type(type);
    if (type.str().find("Generator") != std::string::npos) {
      plan.generator_argument = static_cast<int>(i);
    }
  }
  for (const HiddenWrite& hidden : kHiddenWrites) {
    if (schema.name() != hidden.name) continue;
    for (const std::size_t i : hidden.arguments) plan.arguments[i] = ArgumentUse::kWrite;
  }
  for (const c10::Argument& returned : schema.returns()) {
    plan.returns.push_back(argument_returned(schema, returned));
    plan.returns_other_than_tensors |= returned.real_type()->kind() != c10::TypeKind::TensorType;
  }
  plan.is_view = aliases && !writes;
  plan.draws_random_numbers =
      plan.generator_argument >= 0 || handle.hasTag(at::Tag::nondeterministic_seeded);
  plan.depends_on_device_values = value_predicate_of(handle);
  plan.has_meta_kernel = handle.hasKernelForDispatchKey(c10::DispatchKey::Meta) &&
                         std::find(kMisledByMetaKernel.begin(), kMisledByMetaKernel.end(),
                                   schema.name()) == kMisledByMetaKernel.end();
  return plan;
}

}  // namespace

const OperatorPlan& PlanCache::of(const c10::OperatorHandle& handle) {
  const c10::FunctionSchema* key = &handle.schema();
  {
    const std::shared_lock lock(mutex_);
    const auto found = plans_.find(key);
    if (found != plans_.end()) return *found->second;
  }
  auto plan = std::make_unique<const OperatorPlan>(make_plan(handle));
  const std::unique_lock lock(mutex_);
  return *plans_.try_emplace(key, std::move(plan)).first->second;
}

}  // namespace runahead::device
