#pragma once

#include <cuda_runtime_api.h>

/// Launches a kernel of one thread on `stream`, on the current device, that ends `nanoseconds`
/// after it began, by the device's clock. Never blocks for it. Plain C, for nvcc and the host's
/// compiler are given different flags. @return The launch's error.
extern "C" cudaError_t runahead_hold(unsigned long long nanoseconds, cudaStream_t stream);
