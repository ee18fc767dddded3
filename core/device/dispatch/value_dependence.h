#pragma once

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

namespace runahead::device {

struct OperatorPlan;

// Whether the layout of a result depends on values in device tensors: predicates for operators
// where this holds for some calls, although LibTorch's tags say so of every call or of none.

/// True for every call.
[[nodiscard]] bool always(c10::ArrayRef<c10::IValue> arguments);
/// `x[mask]` depends on values, `x[indices]` does not.
[[nodiscard]] bool has_device_mask(c10::ArrayRef<c10::IValue> arguments);
[[nodiscard]] bool has_no_output_size(c10::ArrayRef<c10::IValue> arguments);
[[nodiscard]] bool has_empty_statistics(c10::ArrayRef<c10::IValue> arguments);
[[nodiscard]] bool has_no_total_length(c10::ArrayRef<c10::IValue> arguments);
[[nodiscard]] bool has_device_lengths(c10::ArrayRef<c10::IValue> arguments);

/// Whether a list of indices among the arguments contains a mask, on the device or the host.
[[nodiscard]] bool indexes_by_mask(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

}  // namespace runahead::device
