#include "core/device/operator_plan.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

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
constexpr std::array<std::string_view, 20> kMisledByMetaKernel{
    "aten::max_pool3d_with_indices",
    "aten::max_pool3d_with_indices_backward",
    "aten::roll",
    "aten::segment_reduce",
    "aten::_native_multi_head_attention",
    "aten::_fft_r2c",
    "aten::_fft_c2r",
    "aten::_fft_c2c",
    "aten::linalg_eig",
    "aten::linalg_lstsq",
    "aten::max_unpool2d",
    "aten::native_batch_norm",
    "aten::_native_batch_norm_legit",
    "aten::_embedding_bag",
    "aten::_embedding_bag_forward_only",
    "aten::_batch_norm_with_update",
    "aten::mkldnn_rnn_layer",
    "aten::mkldnn_rnn_layer_backward",
    "aten::multilabel_margin_loss_forward",
    "aten::_scaled_dot_product_flash_attention_for_cpu"};

// Operators of which only the CPU kernel says what it refuses and in which format its result is:
// their Meta kernels, which Python registers, do not.
constexpr std::array<std::string_view, 36> kLeftToKernel{"aten::addbmm",
                                                         "aten::bucketize.Scalar",
                                                         "aten::bucketize.Tensor",
                                                         "aten::col2im",
                                                         "aten::complex.out",
                                                         "aten::embedding_renorm_",
                                                         "aten::floor_divide",
                                                         "aten::floor_divide_.Tensor",
                                                         "aten::fractional_max_pool2d",
                                                         "aten::fractional_max_pool3d",
                                                         "aten::grid_sampler_2d",
                                                         "aten::grid_sampler_3d",
                                                         "aten::im2col",
                                                         "aten::index_copy",
                                                         "aten::index_copy_",
                                                         "aten::index_fill.int_Scalar",
                                                         "aten::index_fill.int_Tensor",
                                                         "aten::index_fill_.int_Scalar",
                                                         "aten::index_fill_.int_Tensor",
                                                         "aten::isin.Tensor_Tensor",
                                                         "aten::linalg_cross",
                                                         "aten::linalg_matrix_exp",
                                                         "aten::logspace",
                                                         "aten::max",
                                                         "aten::median",
                                                         "aten::median.dim",
                                                         "aten::min",
                                                         "aten::multi_margin_loss",
                                                         "aten::nanmedian",
                                                         "aten::nanmedian.dim",
                                                         "aten::nansum",
                                                         "aten::nll_loss2d_forward",
                                                         "aten::ormqr",
                                                         "aten::polar.out",
                                                         "aten::searchsorted.Scalar",
                                                         "aten::searchsorted.Tensor"};

// Operators that change arguments without their schema saying so: the running statistics.
struct HiddenWrite {
  std::string_view name;
  std::array<std::size_t, 2> arguments;
};
constexpr std::array<HiddenWrite, 2> kHiddenWrites{
    {{"aten::native_batch_norm", {3, 4}}, {"aten::batch_norm_update_stats", {1, 2}}}};

template <typename List, typename Value>
bool contains(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

ArgumentUse use_of(const c10::FunctionSchema& schema, const c10::Argument& argument) {
  const c10::AliasInfo* alias = argument.alias_info();
  if (alias == nullptr) return ArgumentUse::kRead;
  if (!alias->isWrite()) return ArgumentUse::kAlias;
  if (argument.is_out()) return ArgumentUse::kOverwrite;
  return contains(kOverwritingOperators, schema.name()) ? ArgumentUse::kOverwrite
                                                        : ArgumentUse::kWrite;
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

// Operators that fill a tensor of any shape with what numbers say.
constexpr std::array<std::string_view, 17> kFillingOperators{
    "aten::complex",     "aten::polar",        "aten::masked_scatter_",
    "aten::zero_",       "aten::fill_",        "aten::normal_",
    "aten::uniform_",    "aten::random_",      "aten::cauchy_",
    "aten::geometric_",  "aten::exponential_", "aten::log_normal_",
    "aten::bernoulli_",  "aten::masked_fill_", "aten::fill",
    "aten::masked_fill", "aten::bernoulli"};

// Operators that have kernels for integers and truth values, among those that programs call most.
constexpr std::array<std::string_view, 33> kTakeIntegers{
    "aten::where",       "aten::_index_put_impl_",
    "aten::_stack",      "aten::_unique2",
    "aten::all",         "aten::amax",
    "aten::amin",        "aten::any",
    "aten::arange",      "aten::argmax",
    "aten::argmin",      "aten::cat",
    "aten::cumsum",      "aten::embedding",
    "aten::eye",         "aten::flip",
    "aten::gather",      "aten::index",
    "aten::index_add",   "aten::index_copy",
    "aten::index_fill_", "aten::index_select",
    "aten::max",         "aten::min",
    "aten::random_",     "aten::randperm",
    "aten::roll",        "aten::scatter",
    "aten::sort",        "aten::sum",
    "aten::topk",        "aten::tril",
    "aten::triu"};

// Operators that look at the values before they compute, on every device, and refuse some.
constexpr std::array<std::string_view, 3> kLookAtValues{"aten::linalg_eig", "aten::linalg_eigvals",
                                                        "aten::_linalg_eigvals"};

// Operators whose CPU kernels object to deterministic mode.
constexpr std::array<std::string_view, 3> kNotDeterministic{"aten::put_", "aten::max_unpool2d",
                                                            "aten::max_unpool3d"};

constexpr std::array<std::string_view, 4> kVariances{"aten::var", "aten::std", "aten::var_mean",
                                                     "aten::std_mean"};

bool is_of_libtorch(const c10::FunctionSchema& schema) {
  return schema.name().starts_with("aten::");
}

std::unique_ptr<OperatorPlan> make_plan(const c10::OperatorHandle& handle) {
  const c10::FunctionSchema& schema = handle.schema();
  auto made = std::make_unique<OperatorPlan>(handle);
  OperatorPlan& plan = *made;
  plan.name = c10::toString(handle.operator_name());
  plan.is_of_libtorch = is_of_libtorch(schema);
  plan.is_pointwise = plan.is_of_libtorch && handle.hasTag(at::Tag::pointwise);
  plan.is_filling = contains(kFillingOperators, schema.name());
  plan.takes_empty_tensors = plan.is_pointwise || plan.is_filling;
  plan.takes_integers = contains(kTakeIntegers, schema.name());
  plan.dislikes_empty_tensors = plan.name.find("_backward") != std::string::npos ||
                                plan.name.find("_pool") != std::string::npos;
  for (const std::string_view part : {"index", "scatter", "gather", "cat", "put", "take"}) {
    plan.moves_elements |= schema.name().find(part) != std::string::npos;
  }
  plan.is_random_range = plan.name == "aten::random_.from" || plan.name == "aten::random_.to";
  plan.is_interpolation = plan.name.find("upsample_") != std::string::npos;
  plan.is_variance = contains(kVariances, schema.name());
  plan.looks_at_values = contains(kLookAtValues, schema.name());
  plan.is_not_deterministic = contains(kNotDeterministic, schema.name());
  plan.is_masked_scatter = schema.name() == "aten::masked_scatter_";
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
    const bool is_index = argument.name() == "index" || argument.name() == "indices";
    if (is_index && type.kind() == c10::TypeKind::TensorType) {
      plan.index_argument = static_cast<int>(i);
    }
    if (argument.name() == "check_errors") plan.check_errors_argument = static_cast<int>(i);
    if (argument.name() == "sparse") plan.sparse_argument = static_cast<int>(i);
    plan.takes_indices |= argument.name() == "indices" && type.kind() == c10::TypeKind::ListType;
    if (argument.name() == "output_mask") plan.output_mask_argument = static_cast<int>(i);
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
  plan.writes = writes;
  plan.is_view = aliases && !writes && plan.is_of_libtorch;
  plan.draws_random_numbers =
      plan.generator_argument >= 0 || handle.hasTag(at::Tag::nondeterministic_seeded);
  plan.depends_on_device_values = value_predicate_of(handle);
  plan.has_meta_kernel = handle.hasKernelForDispatchKey(c10::DispatchKey::Meta) &&
                         !contains(kMisledByMetaKernel, schema.name());
  plan.is_left_to_kernel = contains(kLeftToKernel, plan.name);
  plan.is_structured = handle.dumpState().find("RegisterMeta") != std::string::npos;
  return made;
}

// Arguments that CUDA's kernels take from the host, or that LibTorch wants there.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kHostArguments{
    {{"aten::index", "indices"},
     {"aten::_unsafe_index", "indices"},
     {"aten::index_put_", "indices"},
     {"aten::index_put", "indices"},
     {"aten::_unsafe_index_put", "indices"},
     {"aten::_index_put_impl_", "indices"},
     {"aten::index_fill_", "index"},
     {"aten::_pack_padded_sequence", "lengths"},
     {"aten::_ctc_loss", "input_lengths"},
     {"aten::_ctc_loss", "target_lengths"},
     {"aten::_ctc_loss_backward", "input_lengths"},
     {"aten::_ctc_loss_backward", "target_lengths"}}};

}  // namespace

bool OperatorPlan::takes_host_tensor(std::size_t argument, const at::Tensor& tensor) const {
  if (!is_of_libtorch || tensor.dim() == 0) return true;
  const c10::FunctionSchema& schema = handle.schema();
  const std::pair<std::string_view, std::string_view> named{schema.name(),
                                                            schema.arguments()[argument].name()};
  return contains(kHostArguments, named);
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
    if (found != plans_.end()) return *found->second;
  }
  std::unique_ptr<const OperatorPlan> plan = make_plan(handle);
  const std::unique_lock lock(mutex_);
  return *plans_.try_emplace(key, std::move(plan)).first->second;
}

void PlanCache::forget(const c10::OperatorHandle& handle) {
  const std::unique_lock lock(mutex_);
  const auto found = plans_.find(&handle.schema());
  if (found == plans_.end()) return;
  of_gone_operators_.push_back(std::move(found->second));
  plans_.erase(found);
}

}  // namespace runahead::device
