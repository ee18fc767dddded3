#include "core/train/event_back_end.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace runahead::train {
namespace {

class EventMark final : public Mark {
 public:
  explicit EventMark(std::shared_ptr<DeviceEvent> event) : event_(std::move(event)) {}
  bool is_finished() override { return event_->query(); }
  void wait() override { event_->synchronize(); }

 private:
  std::shared_ptr<DeviceEvent> event_;
};

torch::Device with_index(torch::Device device) {
  return device.has_index() ? device : c10::impl::VirtualGuardImpl(device.type()).getDevice();
}

}  // namespace

EventBackEnd::EventBackEnd(torch::Device device) : device_(with_index(device)) {
  // A device's first event is slow, and its delay would shift every finish time.
  record_event()->synchronize();
  origin_ = record_event();
  origin_->synchronize();
  origin_time_ = Clock::now();
}

std::shared_ptr<DeviceEvent> EventBackEnd::record_event() const {
  // The back end's default flag, unlike LibTorch's own default, records the time.
  return std::make_shared<DeviceEvent>(
      c10::impl::VirtualGuardImpl(device_.type()).getStream(device_),
      c10::EventFlag::BACKEND_DEFAULT);
}

std::unique_ptr<Mark> EventBackEnd::mark(FinishedCallback on_finished) {
  report_finished();
  std::shared_ptr<DeviceEvent> event = record_event();
  if (on_finished) pending_.push_back({event, std::move(on_finished)});
  return std::make_unique<EventMark>(std::move(event));
}

void EventBackEnd::wait_until_computed(const torch::Tensor&) {
  record_event()->synchronize();
  report_finished();
}

void EventBackEnd::synchronize() {
  while (!pending_.empty()) {
    pending_.front().event->synchronize();
    report(pending_.front());
    pending_.pop_front();
  }
  const c10::DeviceGuard guard(device_);
  c10::impl::VirtualGuardImpl(device_.type()).synchronizeDevice(device_.index());
}

void EventBackEnd::report_finished() {
  while (!pending_.empty() && pending_.front().event->query()) {
    report(pending_.front());
    pending_.pop_front();
  }
}

void EventBackEnd::report(const PendingMark& pending) {
  const std::chrono::duration<double, std::milli> elapsed(
      pending.event->milliseconds_since(*origin_));
  origin_ = pending.event;
  origin_time_ += std::chrono::duration_cast<Clock::duration>(elapsed);
  pending.on_finished(std::min(origin_time_, Clock::now()));  // The first time is measured late.
}

}  // namespace runahead::train
