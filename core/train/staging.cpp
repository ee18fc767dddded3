#include "core/train/staging.h"

namespace runahead::train {

Batch PageableStaging::to_device(const Batch& host) {
  return {.inputs = host.inputs.to(device_), .targets = host.targets.to(device_)};
}

}  // namespace runahead::train
