#pragma once

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// Whether a call has tensors of a rare type, or is given results of another type than what it
/// reads, and no call of its variant has succeeded yet. Such a call is made and waited for, so that
/// an error of its kernel ("not implemented for 'Half'") comes at the call. A variant is what
/// kernels choose their loops by: the types and ranks of all tensors, flags, texts, and whether
/// whole numbers (a dilation, a padding) are negative, 0, 1 or more. Pointwise operators show by an
/// empty call what they refuse: for them it is false.
[[nodiscard]] bool is_untried_variant(const OperatorPlan& plan,
                                      c10::ArrayRef<c10::IValue> arguments);

/// Notes that a call has succeeded. A call without elements shows nothing: kernels may return from
/// it before they look at the type.
void note_variant(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments,
                  c10::ArrayRef<c10::IValue> returns);

}  // namespace runahead::device
