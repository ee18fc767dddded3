#pragma once

#include <ATen/core/operator_name.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/layouts/tensor_layout.h"

namespace runahead::device {

/// Computes the layouts of a call's returns from its arguments; nullopt if the rule does not apply.
using LayoutRule = std::optional<ReturnLayouts> (*)(Arguments arguments);

/// Whether the layout of a call's results depends on values in its device tensors (`nonzero`, a
/// mask as an index), so that only running the call reveals it.
using ValuePredicate = bool (*)(Arguments arguments);

/// Throws if the kernel would misbehave for values of its arguments, which are on the host.
using ValueCheck = void (*)(Arguments arguments);

/// Facts about a LibTorch operator that neither its schema nor its tags state. To give an operator
/// a rule, or to correct how it is handled, edit its row in operator_traits.cpp. Facts that whole
/// families share by name are in operator_plan.cpp.
struct OperatorTraits {
  /// For operators without a Meta kernel, or whose Meta kernel disagrees with the CPU kernel. The
  /// worker checks every answer against the kernel's result.
  LayoutRule layouts = nullptr;
  /// Null: LibTorch's tags apply, to every call or to none.
  ValuePredicate depends_on_values = nullptr;
  ValueCheck check_values = nullptr;  ///< Called by the worker before the kernel.
  /// Arguments that the operator changes without its schema saying so; -1: none.
  std::array<int, 2> hidden_writes{-1, -1};
  /// Arguments that CUDA's kernels accept on the host, or that LibTorch requires there.
  std::array<std::string_view, 2> host_arguments{};
  /// The Meta kernel, mostly one that Python registers, promises other layouts than the CPU kernel
  /// returns: if no rule applies, the layouts are learned from a call.
  bool distrusts_meta_kernel = false;
  /// Only the CPU kernel decides what it rejects and which format its result has.
  bool is_left_to_kernel = false;
  /// The CPU has a kernel for the whole call, or LibTorch's composite branches on the device: the
  /// worker runs it as one call. Structured operators and fbgemm's need no mention (cpu_routes).
  bool is_whole_call = false;
  bool overwrites = false;       ///< In place, and ignores the values that it replaces.
  bool is_filling = false;       ///< Fills a tensor of any shape from its numeric arguments.
  bool takes_integers = false;   ///< Has kernels for integers and booleans, and is called often.
  bool takes_one_dtype = false;  ///< The CPU kernel checks this, the Meta kernel does not.
  bool looks_at_values = false;  ///< And rejects some, on every device.
  bool is_not_deterministic = false;  ///< Its CPU kernel objects to deterministic mode.
  bool is_product = false;            ///< Of two matrices: Products may compute it.
  bool is_variance = false;
  bool spreads_mask = false;         ///< Broadcasts a mask of another shape.
  bool draws_whole_numbers = false;  ///< Draws integers between bounds.
  bool takes_deviations = false;     ///< Reads the values of a tensor of standard deviations.
  bool takes_classes = false;    ///< As its `target`: indices, whose type no Meta kernel checks.
  bool takes_condition = false;  ///< As its first argument, which is not promoted.
  /// Refers to the same elements: through it programs drop names and give others.
  bool takes_named_tensors = false;
};

/// The traits of an operator: its own row merged with that of all its overloads.
[[nodiscard]] OperatorTraits traits_of(const c10::OperatorName& name);

/// The names, without `aten::`, of the operators that the worker runs as one call.
[[nodiscard]] std::vector<std::string> whole_calls();

}  // namespace runahead::device
