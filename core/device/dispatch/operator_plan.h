#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/device/dispatch/operator_traits.h"

namespace runahead::device {

/// How an operator uses one of its arguments.
enum class ArgumentUse : std::uint8_t {
  kRead,       ///< Observed.
  kWrite,      ///< Changed in place.
  kOverwrite,  ///< Replaced whole: an `out` argument, or the target of fill_, normal_, ….
  kAlias,      ///< Returned as a view.
};

[[nodiscard]] constexpr bool is_written(ArgumentUse use) noexcept {
  return use == ArgumentUse::kWrite || use == ArgumentUse::kOverwrite;
}

/// A set of hashes that only grows, up to a bound beyond which it claims to contain every hash.
/// Thread-safe.
class KernelVariants {
 public:
  [[nodiscard]] bool contains(std::size_t hash) const {
    const std::lock_guard lock(mutex_);
    return hashes_.size() >= kMost || hashes_.count(hash) != 0;
  }
  void add(std::size_t hash) {
    const std::lock_guard lock(mutex_);
    if (hashes_.size() < kMost) hashes_.insert(hash);
  }

 private:
  static constexpr std::size_t kMost = 4096;

  mutable std::mutex mutex_{};
  std::unordered_set<std::size_t> hashes_{};
};

/// What the device needs to know about an operator to turn its calls into operations; derived once
/// from its schema.
struct OperatorPlan {
  static constexpr int kFresh = -1;

  explicit OperatorPlan(const c10::OperatorHandle& of) : handle(of) {}

  c10::OperatorHandle handle;
  std::string name{};  ///< `aten::add.out`
  OperatorTraits traits{};
  std::vector<ArgumentUse> arguments{};         ///< One per argument.
  std::vector<std::size_t> number_arguments{};  ///< Those that take a number of any kind.
  std::vector<int> returns{};     ///< For each return, the argument that it is, or kFresh.
  int generator_argument = -1;    ///< Index, or -1.
  int output_mask_argument = -1;  ///< Index, or -1.
  int index_argument = -1;        ///< Index of a tensor of indices, or -1.
  int dtype_argument = -1;        ///< Index of `dtype`, or -1.
  bool draws_random_numbers = false;
  bool is_view = false;  ///< Returns an alias, and reads layouts only.
  /// A custom operator that returns views of an argument, or draws from the host's generator: calls
  /// run at once, and their callers wait.
  bool always_waits = false;
  bool is_of_libtorch = false;       ///< One of `aten`, whose results' layouts may be learned.
  bool is_pointwise = false;         ///< Shapes broadcast; a number's kind matters, not its value.
  bool takes_empty_tensors = false;  ///< See is_refused_when_empty.
  bool dislikes_empty_tensors = false;  ///< As for pooling and gradients.
  bool is_interpolation = false;
  bool is_fused_update = false;    ///< Of an optimiser's parameters, gradients and state.
  bool has_in_place_form = false;  ///< By which LibTorch passes `self` as the result, too.
  /// Elements are computed from others of their position, so that a result may be an input, too.
  bool is_elementwise = false;
  /// LibTorch itself provides its Meta kernel, although Python may override it.
  bool is_structured = false;
  std::optional<c10::OperatorHandle> structured_form{};  ///< See ShapeProbe.
  int check_errors_argument = -1;                        ///< -1: none.
  int sparse_argument = -1;  ///< Index of the flag that requests sparse results, or -1.
  bool has_out_arguments = false;
  /// Its library was destroyed: the handle must not be used any more.
  mutable std::atomic<bool> is_gone{false};
  /// The types that its kernel has run with, one bit each.
  mutable std::atomic<std::uint64_t> types_run{0};
  /// Its kernel resizes out arguments although they have the result's size. Found when it runs.
  mutable std::atomic<bool> resizes_outs{false};
  bool writes = false;  ///< Writes arguments, in place or as results.
  /// Autograd does not note by itself what the operator writes.
  bool hides_writes = false;
  bool reads_tensors = false;
  bool takes_indices = false;                         ///< One list of tensors, which may be masks.
  bool returns_other_than_tensors = false;            ///< Numbers, or lists of tensors.
  ValuePredicate depends_on_device_values = nullptr;  ///< Never null in a cached plan.
  bool has_meta_kernel = false;
  bool has_cpu_kernel = false;
  /// Whether a call returned another layout than predicted: later calls are then not predicted.
  mutable std::atomic<bool> is_unpredictable{false};
  mutable KernelVariants variants_taken{};

  [[nodiscard]] bool is_out(std::size_t argument) const {
    return has_out_arguments && handle.schema().arguments()[argument].is_out();
  }
  [[nodiscard]] bool fills_in_place() const {
    return traits.is_filling && writes && !has_out_arguments;
  }
  /// Whether an argument that is read may be on the host, as CUDA's kernels accept it: a
  /// zero-dimensional tensor, indices, lengths; for operators that are not LibTorch's, any tensor.
  [[nodiscard]] bool takes_host_tensor(std::size_t argument, const at::Tensor& tensor) const;
  /// Whether an argument is a number whose value no result's layout depends on.
  [[nodiscard]] bool is_free_number(std::size_t argument) const {
    return is_pointwise && reads_tensors &&
           handle.schema().arguments()[argument].type()->kind() == c10::TypeKind::NumberType;
  }
};

/// The plans of the operators called so far; bounded by the number of operators and kernels that
/// the process registers. Thread-safe.
class PlanCache {
 public:
  PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// The plan of an operator, made at its first call, and again once the program has registered a
  /// kernel that it lacked; valid as long as the cache.
  [[nodiscard]] const OperatorPlan& of(const c10::OperatorHandle& handle);

 private:
  std::shared_mutex mutex_{};
  /// Forgets a deregistered operator, whose address another may reuse.
  void forget(const c10::OperatorHandle& handle);

  class DeregistrationListener;

  std::unordered_map<const c10::FunctionSchema*, std::unique_ptr<const OperatorPlan>> plans_{};
  /// Of operators that are gone or that have gained kernels since: calls in flight refer to them.
  std::vector<std::unique_ptr<const OperatorPlan>> retired_plans_{};
  c10::RegistrationHandleRAII listener_;
};

}  // namespace runahead::device
