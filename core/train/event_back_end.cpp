#include "core/train/event_back_end.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <utility>

namespace runahead::train {
namespace {

class EventMark final : public Mark {
 public:
  explicit EventMark(std::shared_ptr<c10::Event> event) : event_(std::move(event)) {}
  bool is_finished() override { return event_->query(); }
  void wait() override { event_->synchronize(); }

 private:
  std::shared_ptr<c10::Event> event_;
};

}  // namespace

EventBackEnd::EventBackEnd(torch::Device device) : device_(device) {
  // A device's first event is slow, and its delay would shift every finish time.
  record_event()->synchronize();
  origin_ = record_event();
  origin_->synchronize();
  origin_time_ = Clock::now();
}

std::shared_ptr<c10::Event> EventBackEnd::record_event() const {
  const c10::impl::VirtualGuardImpl guard(device_.type());
  // The back end's default flag, unlike LibTorch's own default, records the time.
  auto event = std::make_shared<c10::Event>(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  event->record(guard.getStream(device_));
  return event;
}

std::unique_ptr<Mark> EventBackEnd::mark(FinishedCallback on_finished) {
  report_finished();
  std::shared_ptr<c10::Event> event = record_event();
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
  c10::impl::VirtualGuardImpl(device_.type()).synchronizeDevice(device_.index());
}

void EventBackEnd::report_finished() {
  while (!pending_.empty() && pending_.front().event->query()) {
    report(pending_.front());
    pending_.pop_front();
  }
}

void EventBackEnd::report(const PendingMark& pending) const {
  const std::chrono::duration<double, std::milli> elapsed(origin_->elapsedTime(*pending.event));
  pending.on_finished(origin_time_ + std::chrono::duration_cast<Clock::duration>(elapsed));
}

}  // namespace runahead::train
