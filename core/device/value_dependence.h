#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

namespace runahead::device {

struct OperatorPlan;

/// Whether what a call returns looks different for other values in its device tensors (`nonzero`,
/// a mask as an index), so that only making the call tells its layout.
using ValuePredicate = bool (*)(c10::ArrayRef<c10::IValue> arguments);

/// The predicate of an operator: LibTorch's tags, refined where they say it of every call although
/// it holds for some (`x[mask]` depends on values, `x[indices]` does not).
[[nodiscard]] ValuePredicate value_predicate_of(const c10::OperatorHandle& handle);

/// Whether a list of indices among the arguments has a mask, on the device or the host.
[[nodiscard]] bool indexes_by_mask(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

}  // namespace runahead::device
