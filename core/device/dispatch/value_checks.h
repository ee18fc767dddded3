#pragma once

#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

namespace runahead::device {

// Checks of values that a kernel leaves to an earlier operator: on `cpu` that operator has thrown
// by then, on the device it fails without stopping those issued after it. The worker calls them,
// with the arguments on the host, before the kernel.

/// Of the indices of `embedding_dense_backward`, if it counts them. @throws c10::IndexError
void check_counted_indices(c10::ArrayRef<c10::IValue> arguments);

}  // namespace runahead::device
