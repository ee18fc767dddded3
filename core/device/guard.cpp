#include "core/device/guard.h"

#include <c10/util/Exception.h>

#include "core/device/autograd_threads.h"
#include "core/device/runtime.h"

namespace runahead::device {
namespace {

constexpr c10::DeviceIndex kIndex = 0;

c10::Device the_device() { return {c10::DeviceType::PrivateUse1, kIndex}; }

c10::Stream the_stream() { return c10::Stream(c10::Stream::DEFAULT, the_device()); }

engine::Marker& marker_of(void* event) { return *static_cast<engine::Marker*>(event); }

}  // namespace

c10::Device GuardImpl::exchangeDevice(c10::Device device) const {
  setDevice(device);
  return the_device();
}

c10::Device GuardImpl::getDevice() const { return the_device(); }

void GuardImpl::setDevice(c10::Device device) const {
  TORCH_CHECK(device.index() <= kIndex, "acpu: there is one device, acpu:0, but found ", device);
}

// Every node of autograd's graph asks for the stream it is made on: early enough to start the
// thread that will run it, and late enough to start none in a process without gradients.
c10::Stream GuardImpl::getStream(c10::Device) const {
  ensure_autograd_thread();
  return the_stream();
}

c10::Stream GuardImpl::getDefaultStream(c10::Device) const { return the_stream(); }

c10::Stream GuardImpl::exchangeStream(c10::Stream) const { return the_stream(); }

bool GuardImpl::queryStream(const c10::Stream&) const {
  return Runtime::get().engine().in_flight() == 0;
}

void GuardImpl::synchronizeStream(const c10::Stream&) const { Runtime::get().wait_all(); }

void GuardImpl::synchronizeDevice(c10::DeviceIndex) const { Runtime::get().wait_all(); }

void GuardImpl::record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const {
  engine::Marker marker = Runtime::get().engine().mark();
  if (*event == nullptr) {
    *event = new engine::Marker(std::move(marker));
  } else {
    marker_of(*event) = std::move(marker);
  }
}

// One stream runs in the order of its dependencies: what is issued later can't overtake.
void GuardImpl::block(void*, const c10::Stream&) const {}

bool GuardImpl::queryEvent(void* event) const {
  return event == nullptr || marker_of(event).is_finished();
}

void GuardImpl::synchronizeEvent(void* event) const {
  if (event == nullptr) return;
  const engine::WaitHooks hooks = Runtime::get().options().wait_hooks;
  engine::HookedWait wait(hooks);
  wait.begin();
  marker_of(event).wait();
}

double GuardImpl::elapsedTime(void* start, void* end, c10::DeviceIndex) const {
  TORCH_CHECK(start != nullptr && end != nullptr, "acpu: both events must be recorded");
  const auto from = marker_of(start).finished_at();
  const auto to = marker_of(end).finished_at();
  TORCH_CHECK(from && to, "acpu: both events must have finished; synchronize them first");
  return seconds_between(*from, *to) * 1e3;
}

void GuardImpl::destroyEvent(void* event, c10::DeviceIndex) const noexcept {
  delete static_cast<engine::Marker*>(event);
}

}  // namespace runahead::device
