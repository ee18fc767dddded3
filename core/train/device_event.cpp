#include "core/train/device_event.h"

#include <c10/core/DeviceGuard.h>
#include <c10/util/Exception.h>

namespace runahead::train {

DeviceEvent::DeviceEvent(const c10::Stream& stream, c10::EventFlag flag)
    : device_(stream.device()), event_(std::in_place, stream.device_type(), flag) {
  const c10::DeviceGuard guard(device_);
  event_->record(stream);
}

DeviceEvent::~DeviceEvent() {
  try {
    const c10::DeviceGuard guard(device_);
    event_.reset();
  } catch (const c10::Error&) {
    // The device is broken, and LibTorch warns about its events at most.
  }
}

bool DeviceEvent::query() const {
  const c10::DeviceGuard guard(device_);
  return event_->query();
}

void DeviceEvent::synchronize() const {
  const c10::DeviceGuard guard(device_);
  event_->synchronize();
}

void DeviceEvent::block(const c10::Stream& later) const {
  const c10::DeviceGuard guard(later.device());
  event_->block(later);
}

double DeviceEvent::milliseconds_since(const DeviceEvent& earlier) const {
  const c10::DeviceGuard guard(device_);
  return earlier.event_->elapsedTime(*event_);
}

}  // namespace runahead::train
