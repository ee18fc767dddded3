#include "core/cuda/problem.h"

#include <torch/version.h>

#include <cstdlib>

namespace runahead::cuda {
namespace {

/// A note that CUDA_VISIBLE_DEVICES, if set, may hide devices.
std::string visibility_note() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? "" : std::string(" (CUDA_VISIBLE_DEVICES is '") + visible + "')";
}

}  // namespace

std::string problem_of(cudaError_t error, const Availability& found) {
  if (!found.driver_version) {
    return "there is no NVIDIA driver (libcuda.so.1) on this machine";
  }
  const std::string driver = version_text(*found.driver_version);
  if (error == cudaErrorInsufficientDriver) {
    const std::string runtime =
        found.runtime_version ? version_text(*found.runtime_version) : "a newer version";
    return "the NVIDIA driver is too old: it supports CUDA " + driver + ", and LibTorch " +
           TORCH_VERSION + " uses CUDA " + runtime + "; install a newer driver";
  }
  if (error == cudaErrorNoDevice || error == cudaSuccess) {
    return "the NVIDIA driver, of CUDA " + driver + ", found no device" + visibility_note();
  }
  return std::string("CUDA could not be started: ") + cudaGetErrorString(error) + visibility_note();
}

}  // namespace runahead::cuda
