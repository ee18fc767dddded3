#include "core/train/staging.h"

#include <c10/core/DeviceGuard.h>

#include <utility>

#include "core/base/error.h"

namespace runahead::train {

Batch PageableStaging::to_device(const Batch& host) {
  return {.inputs = host.inputs.to(device_), .targets = host.targets.to(device_)};
}

CopyStaging::CopyStaging(std::unique_ptr<HostBuffers> host, std::unique_ptr<DeviceCopies> copies)
    : host_(std::move(host)), copies_(std::move(copies)) {
  RUNAHEAD_REQUIRE(host_ != nullptr, "there is no memory of the host to copy from");
  RUNAHEAD_REQUIRE(copies_ != nullptr, "there is no way to copy to the device");
}

Batch CopyStaging::to_device(const Batch& host) {
  // Pinned memory asks events, on a loader's thread, too, where another device may be the current
  // one.
  const c10::DeviceGuard guard(copies_->stream().device());
  const Batch staged = host_->stage(host);
  Batch batch = copies_->copy(staged, host_->allows_non_blocking());
  host_->copied(copies_->stream());
  batch.kept_bytes = host_->kept_bytes(staged) + copies_->kept_bytes(batch);
  return batch;
}

}  // namespace runahead::train
