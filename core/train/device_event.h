#pragma once

#include <c10/core/Event.h>

#include <optional>

namespace runahead::train {

/// A point of a stream: LibTorch's generic event, recorded there.
///
/// In each call, and at its end, the event's device is the thread's current one. LibTorch's own
/// event would switch back to the one before, which on `cuda` makes a context on that GPU, of
/// hundreds of MB, even if the program uses another one only.
class DeviceEvent {
 public:
  /// @throws c10::Error if the device has no events.
  explicit DeviceEvent(const c10::Stream& stream,
                       c10::EventFlag flag = c10::EventFlag::PYTORCH_DEFAULT);
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  [[nodiscard]] bool query() const;
  void synchronize() const;
  /// Work issued on `later` from now on starts after this point.
  void block(const c10::Stream& later) const;
  /// By the device's clock, as a float. Both events have passed and have the flag BACKEND_DEFAULT.
  [[nodiscard]] double milliseconds_since(const DeviceEvent& earlier) const;

 private:
  c10::Device device_;
  std::optional<c10::Event> event_;
};

}  // namespace runahead::train
