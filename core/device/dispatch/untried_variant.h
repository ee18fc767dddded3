#pragma once

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// Whether a call has tensors of a rare type, or out arguments of another type than its first
/// input, and no call of its variant has succeeded yet. Such a call is run and waited for, so that
/// an error of its kernel ("not implemented for 'Half'") is thrown at the call. A variant is what
/// kernels select their loops by: the types and ranks of all tensors, whether they are contiguous
/// and have dimensions of size 1, flags, strings, and whether integers (a dilation, a padding) are
/// negative, 0, 1 or more. False for pointwise operators: an empty call reveals what they reject.
[[nodiscard]] bool is_untried_variant(const OperatorPlan& plan, Arguments arguments);

/// Notes that a call has succeeded. A call without elements proves nothing: kernels may return
/// before they check the type.
void note_variant(const OperatorPlan& plan, Arguments arguments, Arguments returns);

}  // namespace runahead::device
