#pragma once

#include "core/device/dispatch/operator_plan.h"

namespace runahead::device {

/// Whether the kernel rejects, or may reject, a list of indices or the values to put there because
/// of their shapes: for `index` and `index_put_`, whose plan takes indices. Reads no values, so
/// that an index out of range is found when the call runs, as on CUDA.
[[nodiscard]] bool may_refuse_indices(const OperatorPlan& plan, Arguments arguments);

}  // namespace runahead::device
