#pragma once

#include "core/device/return_layouts.h"

namespace runahead::device {

/// Layouts by this device's own rules, for common operators that have no Meta kernel, or whose Meta
/// kernel answers otherwise than the CPU kernel (the reduced losses). The worker checks every
/// answer against what the kernel returned.
[[nodiscard]] std::optional<ReturnLayouts> layouts_by_rule(const OperatorPlan& plan,
                                                           c10::ArrayRef<c10::IValue> arguments);

/// Whether the operator's Meta kernel must not be asked where no rule reaches.
[[nodiscard]] bool has_rule_alone(const OperatorPlan& plan);

/// What the CPU kernels of matrix products check when they run, and the Meta kernels don't: one
/// dtype.
/// @throws c10::Error
void check_matrix_types(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

}  // namespace runahead::device
