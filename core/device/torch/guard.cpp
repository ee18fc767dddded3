#include "core/device/torch/guard.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

#include <mutex>
#include <utility>

#include "core/device/runtime.h"
#include "core/device/torch/threads.h"

namespace runahead::device {
namespace {

constexpr c10::DeviceIndex kIndex = 0;

c10::Device the_device() { return {c10::DeviceType::PrivateUse1, kIndex}; }

c10::Stream stream_of(c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, the_device(), id);
}

struct Recorded {
  engine::Event event{};
  c10::StreamId stream = 0;
};

/// What LibTorch's handle to an event points to. Thread-safe: one thread may record it while
/// another waits for it.
class EventHandle {
 public:
  void set(Recorded&& recorded) {
    const std::lock_guard lock(mutex_);
    recorded_ = std::move(recorded);
  }
  [[nodiscard]] Recorded get() const {
    const std::lock_guard lock(mutex_);
    return recorded_;
  }

 private:
  mutable std::mutex mutex_{};
  Recorded recorded_{};
};

Recorded recorded(void* event) { return static_cast<EventHandle*>(event)->get(); }

}  // namespace

void require_index(c10::DeviceIndex index) {
  TORCH_CHECK(index <= kIndex,
              "acpu: there is one device, acpu:0, but found acpu:", static_cast<int>(index));
}

c10::Device GuardImpl::exchangeDevice(c10::Device device) const {
  setDevice(device);
  return the_device();
}

c10::Device GuardImpl::getDevice() const { return the_device(); }

void GuardImpl::setDevice(c10::Device device) const { require_index(device.index()); }

// Every node of autograd's graph asks for the stream it is created on, in the thread that is likely
// to run it: early enough to start the thread that runs it otherwise, and late enough to start none
// in a process without gradients.
c10::Stream GuardImpl::getStream(c10::Device device) const {
  require_index(device.index());
  ensure_autograd_thread();
  run_backward_in_this_thread();
  const Runtime* runtime = Runtime::find();
  return stream_of(runtime == nullptr ? 0 : runtime->streams.current());
}

c10::Stream GuardImpl::getDefaultStream(c10::Device) const { return stream_of(0); }

c10::Stream GuardImpl::getStreamFromGlobalPool(c10::Device, bool has_high_priority) const {
  Runtime& runtime = Runtime::get();
  return stream_of(runtime.take_stream(has_high_priority));
}

c10::Stream GuardImpl::getNewStream(c10::Device device, int priority) const {
  return getStreamFromGlobalPool(device, priority < 0);
}

c10::Stream GuardImpl::exchangeStream(c10::Stream stream) const {
  return stream_of(Runtime::get().streams.exchange_current(stream.id()));
}

bool GuardImpl::queryStream(const c10::Stream& stream) const {
  return Runtime::get().is_idle(stream.id());
}

void GuardImpl::synchronizeStream(const c10::Stream& stream) const {
  Runtime::get().wait_for_stream(stream.id());
}

void GuardImpl::synchronizeDevice(c10::DeviceIndex index) const {
  require_index(index);
  Runtime::get().wait_all();
}

void GuardImpl::record(void** event, const c10::Stream& stream, c10::DeviceIndex,
                       c10::EventFlag) const {
  engine::Event present = Runtime::get().record(stream.id());
  if (*event == nullptr) *event = new EventHandle();
  static_cast<EventHandle*>(*event)->set({std::move(present), stream.id()});
}

void GuardImpl::block(void* event, const c10::Stream& stream) const {
  if (event == nullptr) return;
  const Recorded found = recorded(event);
  if (found.stream != stream.id()) Runtime::get().streams.of(stream.id()).wait_for(found.event);
}

bool GuardImpl::queryEvent(void* event) const {
  return event == nullptr || recorded(event).event.is_finished();
}

void GuardImpl::synchronizeEvent(void* event) const {
  if (event != nullptr) Runtime::get().wait_for(recorded(event).event);
}

double GuardImpl::elapsedTime(void* start, void* end, c10::DeviceIndex) const {
  TORCH_CHECK(start != nullptr && end != nullptr, "acpu: both events must be recorded");
  const auto from = recorded(start).event.finished_at();
  const auto to = recorded(end).event.finished_at();
  TORCH_CHECK(from && to, "acpu: both events must have finished; synchronize them first");
  return seconds_between(*from, *to) * 1e3;
}

void GuardImpl::destroyEvent(void* event, c10::DeviceIndex) const noexcept {
  delete static_cast<EventHandle*>(event);
}

void GuardImpl::recordDataPtrOnStream(const c10::DataPtr& memory, const c10::Stream& stream) const {
  at::getDeviceAllocator(c10::kPrivateUse1)->recordStream(memory, stream);
}

}  // namespace runahead::device
