#pragma once

#include "core/device/dispatch/argument_tensors.h"

namespace runahead::device {

struct OperatorPlan;

// Whether the layout of a result depends on values in device tensors: predicates for operators
// where this holds for some calls, although LibTorch's tags say so of every call or of none.

/// True for every call.
[[nodiscard]] bool always(Arguments arguments);
/// `x[mask]` depends on values, `x[indices]` does not.
[[nodiscard]] bool has_device_mask(Arguments arguments);
[[nodiscard]] bool has_no_output_size(Arguments arguments);
[[nodiscard]] bool has_empty_statistics(Arguments arguments);
[[nodiscard]] bool has_no_total_length(Arguments arguments);
[[nodiscard]] bool has_device_lengths(Arguments arguments);

/// Whether a list of indices among the arguments contains a mask, on the device or the host.
[[nodiscard]] bool indexes_by_mask(const OperatorPlan& plan, Arguments arguments);

// Checks of values that a kernel leaves to an earlier operator: on `cpu` that operator has thrown
// by then, on the device it fails without stopping those issued after it. The worker calls them,
// with the arguments on the host, before the kernel.

/// Of the indices of `embedding_dense_backward`, if it counts them. @throws c10::IndexError
void check_counted_indices(Arguments arguments);

}  // namespace runahead::device
