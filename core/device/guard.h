#pragma once

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace runahead::device {

/// LibTorch's view of the device's streams and events. There is one device, index 0, and one
/// stream; an event is a mark in the order of issue.
class GuardImpl final : public c10::impl::DeviceGuardImplInterface {
 public:
  [[nodiscard]] c10::DeviceType type() const override { return c10::DeviceType::PrivateUse1; }
  [[nodiscard]] c10::Device exchangeDevice(c10::Device device) const override;
  [[nodiscard]] c10::Device getDevice() const override;
  void setDevice(c10::Device device) const override;
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  [[nodiscard]] c10::DeviceIndex deviceCount() const noexcept override { return 1; }

  [[nodiscard]] c10::Stream getStream(c10::Device) const override;
  [[nodiscard]] c10::Stream getDefaultStream(c10::Device) const override;
  [[nodiscard]] c10::Stream exchangeStream(c10::Stream) const override;
  [[nodiscard]] bool queryStream(const c10::Stream&) const override;
  void synchronizeStream(const c10::Stream&) const override;
  void synchronizeDevice(c10::DeviceIndex) const override;

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex,
              c10::EventFlag) const override;
  void block(void* event, const c10::Stream& stream) const override;
  [[nodiscard]] bool queryEvent(void* event) const override;
  void synchronizeEvent(void* event) const override;
  [[nodiscard]] double elapsedTime(void* start, void* end, c10::DeviceIndex) const override;
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override;
};

}  // namespace runahead::device
