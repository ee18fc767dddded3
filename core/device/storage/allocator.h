#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <mutex>

#include "core/device/runtime.h"

namespace runahead::device {

/// LibTorch's view of the device's memory: gives storages their blocks, as the allocation model
/// says, and reports the ledger's counters to `at::accelerator`, under the names that CUDA's
/// allocator gives them: *allocated* is the memory of tensors, *active* also what tensors have let
/// go but operations in flight still use, *reserved* also what is kept for reuse; a *segment* is a
/// piece of memory had from the C library. Only the sums over all pools are reported. Thread-safe.
class Allocator final : public c10::DeviceAllocator {
 public:
  explicit Allocator(Runtime& runtime) : runtime_(runtime) {}

  /// Where the model claims memory at issue it may block at the run-ahead limit.
  /// @throws c10::OutOfMemoryError where the model claims memory at issue, and there is none.
  c10::DataPtr allocate(std::size_t bytes) override;
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* target, const void* source, std::size_t bytes) const override;

  bool initialized() override { return true; }
  /// Returns what is kept, and what the C library keeps, to the system.
  void emptyCache(c10::MempoolId_t) override;
  /// For allocation `caching`: another stream than the block's own uses it, too. In the other
  /// models data alone decides when memory is free.
  void recordStream(const c10::DataPtr& pointer, c10::Stream stream) override;
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override;
  void resetAccumulatedStats(c10::DeviceIndex) override;
  void resetPeakStats(c10::DeviceIndex) override;
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex) override;

 private:
  [[nodiscard]] c10::DataPtr allocate_segment(std::size_t bytes);
  [[nodiscard]] c10::DataPtr allocate_cached(std::size_t bytes);
  [[nodiscard]] bool is_caching() const noexcept {
    return runtime_.allocation() == Allocation::kCaching;
  }
  /// Since the process began.
  [[nodiscard]] c10::CachingDeviceAllocator::DeviceStats statistics() const;

  Runtime& runtime_;
  std::mutex mutex_{};
  c10::CachingDeviceAllocator::DeviceStats accumulated_before_{};  ///< The last reset.
};

}  // namespace runahead::device
