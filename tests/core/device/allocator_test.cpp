// Goal: the statistics that LibTorch asks of an allocator mean on acpu what they mean on CUDA,
// under each allocation model.
#include "core/device/device_fixture.h"

namespace runahead::device {
namespace allocator_test {

constexpr std::int64_t kElements = 1024;
constexpr std::int64_t kBytes = kElements * sizeof(float);

class AllocatorTest : public DeviceTest, public ::testing::WithParamInterface<Allocation> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    configure({.allocation = GetParam()});
    allocator().emptyCache();
    allocator().resetPeakStats(0);
    before_ = statistics();
  }
  // What has changed since the test began.
  [[nodiscard]] std::int64_t grown(c10::CachingAllocator::StatArray Statistics::*kind) const {
    return (statistics().*kind)[0].current - (before_.*kind)[0].current;
  }
  [[nodiscard]] std::int64_t peak_grown(c10::CachingAllocator::StatArray Statistics::*kind) const {
    return (statistics().*kind)[0].peak - (before_.*kind)[0].current;
  }

  Statistics before_{};
};

TEST_P(AllocatorTest, MoreThanAProcessCanAddressIsRefusedAtTheCall) {
  EXPECT_THROW((void)torch::empty({std::int64_t{1} << 60}, acpu_), c10::OutOfMemoryError);
  EXPECT_EQ(grown(&Statistics::allocated_bytes), 0);
}

TEST_P(AllocatorTest, AllocatedIsWhatTensorsHave) {
  const at::Tensor x = torch::ones({kElements}, acpu_);
  synchronize();

  for (const auto kind : {&Statistics::allocated_bytes, &Statistics::active_bytes,
                          &Statistics::reserved_bytes, &Statistics::requested_bytes}) {
    EXPECT_EQ(grown(kind), kBytes);
  }
  for (const auto kind : {&Statistics::allocation, &Statistics::active, &Statistics::segment}) {
    EXPECT_EQ(grown(kind), 1);
  }
}

TEST_P(AllocatorTest, WhatTheQueueStillUsesIsActiveAndNotAllocated) {
  at::Tensor x = torch::ones({kElements}, acpu_);
  synchronize();
  WorkerGate gate;
  const at::Tensor sum = x.sum();
  const std::int64_t allocated = grown(&Statistics::allocated_bytes);
  const std::int64_t active = grown(&Statistics::active_bytes);
  x.reset();

  EXPECT_EQ(grown(&Statistics::allocated_bytes), allocated - kBytes);
  EXPECT_EQ(grown(&Statistics::active_bytes), active);
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, static_cast<std::uint64_t>(kBytes));

  gate.open();
  EXPECT_EQ(sum.item<float>(), static_cast<float>(kElements));
  synchronize();
  EXPECT_EQ(grown(&Statistics::active_bytes), grown(&Statistics::allocated_bytes));
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, 0U);
  EXPECT_EQ(memory_stats().freed_in_flight_peak_bytes, static_cast<std::uint64_t>(kBytes));
}

TEST_P(AllocatorTest, PeaksStayUntilTheyAreResetAndThenTheBlockingOperatorsStay) {
  {
    const at::Tensor x = torch::ones({kElements}, acpu_);
    synchronize();
  }
  EXPECT_EQ(grown(&Statistics::allocated_bytes), 0);
  EXPECT_EQ(grown(&Statistics::requested_bytes), 0);
  EXPECT_EQ(peak_grown(&Statistics::allocated_bytes), kBytes);
  EXPECT_EQ(peak_grown(&Statistics::reserved_bytes), kBytes);
  (void)torch::ones({2}, acpu_).nonzero();

  allocator().emptyCache();
  allocator().resetPeakStats(0);

  EXPECT_EQ(peak_grown(&Statistics::allocated_bytes), 0);
  EXPECT_EQ(peak_grown(&Statistics::reserved_bytes), 0);
  EXPECT_FALSE(blocking_operators().empty());
}

TEST_P(AllocatorTest, TotalsCountFromTheirReset) {
  { const at::Tensor x = torch::ones({kElements}, acpu_); }
  synchronize();
  allocator().resetAccumulatedStats(0);
  EXPECT_EQ(statistics().allocated_bytes[0].allocated, 0);
  EXPECT_EQ(statistics().num_device_alloc, 0);

  const at::Tensor kept = torch::ones({kElements}, acpu_);
  {
    const at::Tensor x = torch::ones({kElements}, acpu_);
    synchronize();
  }

  const Statistics stats = statistics();
  EXPECT_EQ(stats.allocated_bytes[0].allocated, 2 * kBytes);
  EXPECT_EQ(stats.allocated_bytes[0].freed, kBytes);
  EXPECT_EQ(stats.allocation[0].allocated, 2);
  EXPECT_EQ(stats.allocation[0].freed, 1);
  // In stream order `kept` takes what was kept of the first tensor.
  EXPECT_EQ(stats.num_device_alloc, GetParam() == Allocation::kInStreamOrder ? 1 : 2);
  EXPECT_EQ(stats.num_device_free, GetParam() == Allocation::kInStreamOrder ? 0 : 1);
}

RUNAHEAD_RUN_UNDER(AllocatorTest, Allocation::kAtIssue, Allocation::kInStreamOrder,
                   Allocation::kAtExecution);

}  // namespace allocator_test
}  // namespace runahead::device
