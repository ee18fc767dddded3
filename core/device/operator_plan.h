#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/device/value_dependence.h"

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

  c10::OperatorHandle handle;
  std::string name{};                    ///< `aten::add.out`
  std::vector<ArgumentUse> arguments{};  ///< One an argument.
  std::vector<int> returns{};            ///< The argument each return is, or kFresh.
  int generator_argument = -1;           ///< Index, or -1.
  bool draws_random_numbers = false;
  bool is_view = false;  ///< Returns an alias and writes nothing.
  bool has_out_arguments = false;
  bool reads_tensors = false;
  bool returns_other_than_tensors = false;            ///< Numbers, or lists of tensors.
  ValuePredicate depends_on_device_values = nullptr;  ///< Never null in a cached plan.
  bool has_meta_kernel = false;
};

/// The plans of the operators called so far; bounded by the number of operators. Thread-safe.
class PlanCache {
 public:
  /// The plan of an operator, made at its first call; valid as long as the cache.
  [[nodiscard]] const OperatorPlan& of(const c10::OperatorHandle& handle);

 private:
  std::shared_mutex mutex_{};
  std::unordered_map<const c10::FunctionSchema*, std::unique_ptr<const OperatorPlan>> plans_{};
};

}  // namespace runahead::device
