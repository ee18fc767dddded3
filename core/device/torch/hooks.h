#pragma once

#include <ATen/detail/PrivateUse1HooksInterface.h>

#include "core/device/runtime.h"

namespace runahead::device {

/// What LibTorch asks of the backend as a whole: its presence, generators and pinned memory.
class Hooks final : public at::PrivateUse1HooksInterface {
 public:
  explicit Hooks(Runtime& runtime) : runtime_(runtime) {}

  [[nodiscard]] bool isBuilt() const override { return true; }
  [[nodiscard]] bool isAvailable() const override { return true; }
  [[nodiscard]] bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  [[nodiscard]] c10::DeviceIndex deviceCount() const override { return 1; }
  [[nodiscard]] c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex) const override {}
  [[nodiscard]] c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
  [[nodiscard]] c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }
  [[nodiscard]] const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override;
  [[nodiscard]] at::Generator getNewGenerator(c10::DeviceIndex) const override;
  [[nodiscard]] at::Allocator* getPinnedMemoryAllocator() const override;
  /// @throws c10::NotImplementedError always: the device has only memory of its own.
  [[nodiscard]] at::Device getDeviceFromPtr(void* data) const override;
  [[nodiscard]] bool isPinnedPtr(const void* data) const override;
  void resizePrivateUse1Bytes(const c10::Storage& storage, std::size_t bytes) const override;

 private:
  Runtime& runtime_;
};

}  // namespace runahead::device
