#include "core/train/acpu_hold.h"

#include "core/device/worker_hold.h"

namespace runahead::train {

void AcpuHold::hold(double seconds) { device::hold_workers(seconds); }

}  // namespace runahead::train
