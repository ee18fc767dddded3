#pragma once

#include "core/device/dispatch/argument_tensors.h"

namespace runahead::device {

// Checks of values that a kernel leaves to an earlier operator: on `cpu` that operator has thrown
// by then, on the device it fails without stopping those issued after it. The worker calls them,
// with the arguments on the host, before the kernel.

/// Of the indices of `embedding_dense_backward`, if it counts them. @throws c10::IndexError
void check_counted_indices(Arguments arguments);

}  // namespace runahead::device
