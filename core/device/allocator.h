#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include "core/device/runtime.h"

namespace runahead::device {

/// LibTorch's view of the device's memory: gives storages their blocks, and reports the ledger's
/// counters to `at::accelerator`. Memory itself is claimed by the blocks, as the allocation model
/// says. Thread-safe.
class Allocator final : public c10::DeviceAllocator {
 public:
  explicit Allocator(Runtime& runtime) : runtime_(runtime) {}

  c10::DataPtr allocate(std::size_t bytes) override;
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* target, const void* source, std::size_t bytes) const override;

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override;
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override;
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override;
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex) override;

 private:
  Runtime& runtime_;
};

}  // namespace runahead::device
