#pragma once

#include <string_view>

#include "core/device/return_layouts.h"

namespace runahead::device {

/// The layouts of a call's returns from its arguments; nullopt where the rule does not reach.
using LayoutRule = std::optional<ReturnLayouts> (*)(c10::ArrayRef<c10::IValue> arguments);

/// Rules for the operators of neural networks that have no Meta kernel: convolution, norms,
/// embedding, selection. They hold for contiguous tensors of one dtype; other calls are learned.
/// @return nullptr for other operators.
[[nodiscard]] LayoutRule network_layout_rule(std::string_view operator_name);

}  // namespace runahead::device
