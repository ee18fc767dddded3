#pragma once

#include <string_view>

#include "core/device/return_layouts.h"

namespace runahead::device {

/// The layouts of a call's returns from its arguments; nullopt where the rule does not reach.
using LayoutRule = std::optional<ReturnLayouts> (*)(c10::ArrayRef<c10::IValue> arguments);

struct NetworkLayoutRule {
  LayoutRule rule = nullptr;
  /// Where the rule does not reach, the call is learned: the Meta kernel that Python brings along
  /// answers with other strides than the CPU kernel's.
  bool is_alone = false;
};

/// Rules for the operators of neural networks that have no Meta kernel: convolution, norms,
/// attention, embedding, selection.
/// @return nullptr for other operators.
[[nodiscard]] const NetworkLayoutRule* network_layout_rule(std::string_view operator_name);

}  // namespace runahead::device
