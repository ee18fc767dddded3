// For a LibTorch with CUDA if CMake found no CUDA compiler.
#include "core/base/error.h"
#include "core/cuda/device_hold.h"

namespace runahead::cuda {

train::DeviceHold make_device_hold(torch::Device) {
  throw UnavailableError(
      "a CUDA device cannot be held: runahead was built without a CUDA compiler (nvcc); install "
      "the CUDA toolkit and build again");
}

}  // namespace runahead::cuda
