#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/device/dispatch/kernel_variants.h"
#include "core/device/dispatch/operator_traits.h"

namespace runahead::device {

/// How an operator uses one of its arguments.
enum class ArgumentUse : std::uint8_t {
  kRead,       ///< Observed.
  kWrite,      ///< Changed in place.
  kOverwrite,  ///< Replaced whole: an `out` argument, or the target of fill_, normal_, ….
  kAlias,      ///< Returned as a view.
};

/// What the device needs to know of an operator to turn a call of it into an operation; derived
/// from its schema once.
struct OperatorPlan {
  static constexpr int kFresh = -1;

  explicit OperatorPlan(const c10::OperatorHandle& of) : handle(of) {}

  c10::OperatorHandle handle;
  std::string name{};  ///< `aten::add.out`
  OperatorTraits traits{};
  std::vector<ArgumentUse> arguments{};  ///< One an argument.
  std::vector<int> returns{};            ///< The argument each return is, or kFresh.
  int generator_argument = -1;           ///< Index, or -1.
  int output_mask_argument = -1;         ///< Index, or -1.
  int index_argument = -1;               ///< Index of a tensor of indices, or -1.
  bool draws_random_numbers = false;
  bool is_view = false;         ///< Returns an alias, and looks at layouts only.
  bool is_of_libtorch = false;  ///< One of `aten`, whose results' layouts may be learned.
  bool is_pointwise = false;    ///< Shapes broadcast; the kind of a number counts, not its value.
  bool takes_empty_tensors = false;     ///< See is_refused_when_empty.
  bool dislikes_empty_tensors = false;  ///< As pooling and gradients do.
  bool is_interpolation = false;
  bool moves_elements = false;  ///< From place to place, so that it must not write what it reads.
  /// LibTorch itself has its Meta kernel, although Python may register another over it.
  bool is_structured = false;
  int check_errors_argument = -1;  ///< -1: none.
  int sparse_argument = -1;        ///< Index of the flag that asks for sparse results, or -1.
  bool has_out_arguments = false;
  bool writes = false;  ///< Arguments, in place or as results.
  bool reads_tensors = false;
  bool takes_indices = false;               ///< A list of tensors that may be masks, the only one.
  bool returns_other_than_tensors = false;  ///< Numbers, or lists of tensors.
  ValuePredicate depends_on_device_values = nullptr;  ///< Never null in a cached plan.
  bool has_meta_kernel = false;
  bool has_cpu_kernel = false;
  /// Whether a call returned other than was foreseen: then no later one is foreseen.
  mutable std::atomic<bool> is_unpredictable{false};
  mutable KernelVariants variants_taken{};

  [[nodiscard]] bool is_out(std::size_t argument) const {
    return has_out_arguments && handle.schema().arguments()[argument].is_out();
  }
  /// Whether an argument to be read may be on the host, as CUDA's kernels take it: a tensor of no
  /// dimension, indices, lengths; of operators that are not LibTorch's any.
  [[nodiscard]] bool takes_host_tensor(std::size_t argument, const at::Tensor& tensor) const;
  /// Whether an argument is a number whose value no result's layout depends on.
  [[nodiscard]] bool is_free_number(std::size_t argument) const {
    return is_pointwise && reads_tensors &&
           handle.schema().arguments()[argument].type()->kind() == c10::TypeKind::NumberType;
  }
};

/// The plans of the operators called so far; bounded by the number of operators that the process
/// registers. Thread-safe.
class PlanCache {
 public:
  PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// The plan of an operator, made at its first call; valid as long as the cache.
  [[nodiscard]] const OperatorPlan& of(const c10::OperatorHandle& handle);

 private:
  std::shared_mutex mutex_{};
  /// An operator that is gone may leave its address to another. Its plan stays: calls in flight
  /// refer to it.
  void forget(const c10::OperatorHandle& handle);

  class DeregistrationListener;

  std::unordered_map<const c10::FunctionSchema*, std::unique_ptr<const OperatorPlan>> plans_{};
  std::vector<std::unique_ptr<const OperatorPlan>> of_gone_operators_{};
  c10::RegistrationHandleRAII listener_;
};

}  // namespace runahead::device
