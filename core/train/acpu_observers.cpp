#include "core/train/acpu_observers.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/device/device.h"

namespace runahead::train {

AcpuObservers& AcpuObservers::get() {
  static auto* const observers = new AcpuObservers();  // The engine may outlive static objects.
  return *observers;
}

void AcpuObservers::exchange(const engine::Observer* removed,
                             std::shared_ptr<engine::Observer> added) {
  const std::lock_guard lock(mutex_);
  auto observers = observers_;
  std::erase_if(observers, [this, removed](const auto& observer) {
    return observer.get() == removed || std::ranges::count(leaving_, observer.get()) != 0;
  });
  if (added) observers.push_back(std::move(added));
  std::vector<engine::Observer*> pointers;
  for (const auto& observer : observers) pointers.push_back(observer.get());
  auto list = pointers.empty() ? nullptr : std::make_unique<engine::ObserverList>(pointers);
  device::reconfigure([this, &list](device::DeviceOptions& options) {
    if (options.observer != nullptr && options.observer != list_.get()) {
      throw UsageError(
          "found another observer of acpu, which has room for one: end what observes the device");
    }
    options.observer = list.get();
  });
  observers_ = std::move(observers);
  list_ = std::move(list);
  leaving_.clear();
}

void AcpuObservers::begin_recording(std::shared_ptr<engine::Observer> added) {
  RUNAHEAD_REQUIRE(!is_recorded_.exchange(true),
                   "another recording of acpu is under way: end it before the next");
  try {
    exchange(nullptr, std::move(added));
  } catch (...) {
    is_recorded_ = false;
    throw;
  }
}

void AcpuObservers::leave(const engine::Observer* leaving) {
  const std::lock_guard lock(mutex_);
  leaving_.push_back(leaving);
}

}  // namespace runahead::train
