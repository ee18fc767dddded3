#pragma once

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace runahead::device {

/// @throws c10::Error unless the index is that of the one device: 0, or -1 for the current one.
void require_index(c10::DeviceIndex index);

/// LibTorch's view of the device's streams and events, which follow CUDA's. There is one device,
/// index 0.
///
/// An event covers everything issued on its stream before it; `block` makes later operations of
/// another stream start after it. Without it, and within a stream, order follows from data alone:
/// every use of a tensor waits for what it depends on, on whatever stream.
///
/// Recording may block at the run-ahead limit. Waiting for an event does not throw for failed
/// operations; waiting for a stream throws engine::OperationError for an error that no wait has
/// reported.
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
  [[nodiscard]] c10::Stream getStreamFromGlobalPool(c10::Device,
                                                    bool has_high_priority) const override;
  /// @param priority  below 0 is high, as on CUDA: ready operations of such a stream start before
  /// others.
  [[nodiscard]] c10::Stream getNewStream(c10::Device, int priority) const override;
  [[nodiscard]] c10::Stream exchangeStream(c10::Stream) const override;
  [[nodiscard]] bool queryStream(const c10::Stream&) const override;
  void synchronizeStream(const c10::Stream&) const override;
  void synchronizeDevice(c10::DeviceIndex) const override;

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex,
              c10::EventFlag) const override;
  void block(void* event, const c10::Stream& stream) const override;
  [[nodiscard]] bool queryEvent(void* event) const override;
  void synchronizeEvent(void* event) const override;
  /// Milliseconds. @throws c10::Error unless both were recorded and have finished.
  [[nodiscard]] double elapsedTime(void* start, void* end, c10::DeviceIndex) const override;
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override;

  /// As Allocator::recordStream. Autograd calls it where a gradient crosses streams.
  void recordDataPtrOnStream(const c10::DataPtr& memory, const c10::Stream& stream) const override;
};

}  // namespace runahead::device
