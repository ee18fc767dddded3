#include "hold_kernel.h"

namespace {

/// Upper bound of the clock cycles of a device per nanosecond.
constexpr unsigned long long kMostCyclesPerNanosecond = 4;

__device__ unsigned long long device_nanoseconds() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Also bounded by cycles, so that it ends even if the device's timer stands still.
__global__ void hold(unsigned long long nanoseconds) {
  const unsigned long long begun = device_nanoseconds();
  const auto first_cycle = static_cast<unsigned long long>(clock64());
  const unsigned long long most_cycles = nanoseconds * kMostCyclesPerNanosecond;
  while (device_nanoseconds() - begun < nanoseconds &&
         static_cast<unsigned long long>(clock64()) - first_cycle < most_cycles) {
  }
}

}  // namespace

extern "C" cudaError_t runahead_hold(unsigned long long nanoseconds, cudaStream_t stream) {
  hold<<<1, 1, 0, stream>>>(nanoseconds);
  return cudaGetLastError();
}
