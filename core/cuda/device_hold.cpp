#include "core/cuda/device_hold.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <string>

#include "core/base/error.h"
#include "core/cuda/hold_kernel.h"

namespace runahead::cuda {
namespace {

constexpr double kMostSeconds = 3600.0;
constexpr double kNanosecondsPerSecond = 1e9;

void hold(c10::DeviceIndex device, double seconds) {
  RUNAHEAD_REQUIRE(seconds > 0.0 && seconds <= kMostSeconds,
                   "a hold of " + std::to_string(seconds) + " s, must be above 0 and at most " +
                       std::to_string(kMostSeconds));
  const c10::cuda::CUDAGuard guard(device);
  C10_CUDA_CHECK(runahead_hold(static_cast<unsigned long long>(seconds * kNanosecondsPerSecond),
                               c10::cuda::getCurrentCUDAStream(device).stream()));
}

}  // namespace

train::DeviceHold make_device_hold(torch::Device device) {
  RUNAHEAD_REQUIRE(device.is_cuda(), "device '" + device.str() + "' is not a CUDA device");
  const c10::DeviceIndex index = device.has_index() ? device.index() : c10::DeviceIndex{0};
  return [index](double seconds) { hold(index, seconds); };
}

}  // namespace runahead::cuda
