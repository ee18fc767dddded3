#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <mutex>

#include "core/device/runtime.h"

namespace runahead::device {

/// LibTorch's view of the device's memory. It gives each storage its block, according to the
/// allocation model, and reports the ledger's counters to `at::accelerator` under the names that
/// CUDA's allocator uses: *allocated* is the memory of tensors, *active* adds memory that tensors
/// have released but operations in flight still use, *reserved* adds memory kept for reuse; a
/// *segment* is a piece of memory obtained from the C library. Only the sums over all pools are
/// reported. Thread-safe.
class Allocator final : public c10::DeviceAllocator {
 public:
  explicit Allocator(Runtime& runtime) : runtime_(runtime) {}

  /// May block at the run-ahead limit if the model claims memory at issue.
  /// @throws c10::OutOfMemoryError if the model claims memory at issue and none is left.
  c10::DataPtr allocate(std::size_t bytes) override;
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* target, const void* source, std::size_t bytes) const override;

  bool initialized() override { return true; }
  /// Returns memory kept for reuse, here and by the C library, to the system.
  void emptyCache(c10::MempoolId_t) override;
  /// For allocation `caching`: records that a stream other than the block's own uses it. In the
  /// other models data dependencies alone decide when memory is free.
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
  /// Counted since the process began.
  [[nodiscard]] c10::CachingDeviceAllocator::DeviceStats statistics() const;

  Runtime& runtime_;
  std::mutex mutex_{};
  c10::CachingDeviceAllocator::DeviceStats accumulated_before_{};  ///< Values at the last reset.
};

}  // namespace runahead::device
