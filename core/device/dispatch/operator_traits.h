#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>
#include <c10/util/ArrayRef.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/layouts/tensor_layout.h"

namespace runahead::device {

/// The layouts of a call's returns from its arguments; nullopt where the rule does not reach.
using LayoutRule = std::optional<ReturnLayouts> (*)(c10::ArrayRef<c10::IValue> arguments);

/// Whether what a call returns looks different for other values in its device tensors (`nonzero`,
/// a mask as an index), so that only making the call shows its layout.
using ValuePredicate = bool (*)(c10::ArrayRef<c10::IValue> arguments);

/// What holds for an operator of LibTorch and neither its schema nor its tags say. To
/// give one a rule, or to correct how it is handled, add to its row in operator_traits.cpp. What
/// whole families share by their names is in operator_plan.cpp.
struct OperatorTraits {
  /// For operators without a Meta kernel, or whose Meta kernel answers otherwise than the CPU
  /// kernel. The worker checks every answer against what the kernel returned.
  LayoutRule layouts = nullptr;
  /// Null: LibTorch's tags hold, of every call or of none.
  ValuePredicate depends_on_values = nullptr;
  /// Arguments that the operator changes without its schema saying so; -1: none.
  std::array<int, 2> hidden_writes{-1, -1};
  /// Arguments that CUDA's kernels take from the host, or that LibTorch wants there.
  std::array<std::string_view, 2> host_arguments{};
  /// The Meta kernel promises other layouts than the CPU kernel gives, mostly one that Python
  /// registers: where no rule reaches, the call is learned.
  bool distrusts_meta_kernel = false;
  /// Only the CPU kernel says what it refuses and in which format its result is.
  bool is_left_to_kernel = false;
  /// The CPU has a kernel for the whole call, or decides within LibTorch's composite by the device:
  /// the worker makes one call of it.
  bool is_whole_call = false;
  bool overwrites = false;      ///< In place, and looks at nothing of what it replaces.
  bool is_filling = false;      ///< Fills a tensor of any shape with what numbers say.
  bool takes_integers = false;  ///< Has kernels for integers and truth values, and is called often.
  bool takes_one_dtype = false;  ///< Which the CPU kernel checks, and the Meta kernel does not.
  bool looks_at_values = false;  ///< And refuses some, on every device.
  bool is_not_deterministic = false;  ///< Its CPU kernel objects to deterministic mode.
  bool is_product = false;            ///< Of two matrices: Products may make it.
  bool is_variance = false;
  bool spreads_mask = false;         ///< A mask of another shape than what it masks.
  bool draws_whole_numbers = false;  ///< Between bounds.
  bool takes_deviations = false;     ///< Looks at the values of a tensor of standard deviations.
  bool takes_condition = false;      ///< Its first argument, which is not promoted.
};

/// The traits of an operator: its row, and the one of all its overloads.
[[nodiscard]] OperatorTraits traits_of(const c10::OperatorName& name);

/// The operators of which the worker makes the whole call, without `aten::`.
[[nodiscard]] std::vector<std::string> whole_calls();

}  // namespace runahead::device
