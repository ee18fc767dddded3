#pragma once

#include <cuda_runtime_api.h>

/// Launches a single-threaded kernel on `stream` of the current device that ends `nanoseconds`
/// after it began, by the device's clock. Does not wait for it. Has C linkage because nvcc and the
/// host compiler get different flags. @return The launch's error.
extern "C" cudaError_t runahead_hold(unsigned long long nanoseconds, cudaStream_t stream);
