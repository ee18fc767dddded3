#include <thread>

#include "core/device/device_fixture.h"
#include "core/device/storage/tensor_class.h"

namespace runahead::device {
namespace memory_counters_test {

// Goal: the statistics that LibTorch asks of an allocator mean on acpu what they mean on CUDA,
// under each allocation model.

constexpr std::int64_t kElements = 1024;
constexpr std::uint64_t kBytes = kElements * sizeof(float);

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
  [[nodiscard]] std::uint64_t grown(c10::CachingAllocator::StatArray Statistics::*kind) const {
    return static_cast<std::uint64_t>((statistics().*kind)[0].current - (before_.*kind)[0].current);
  }
  [[nodiscard]] std::uint64_t peak_grown(c10::CachingAllocator::StatArray Statistics::*kind) const {
    return static_cast<std::uint64_t>((statistics().*kind)[0].peak - (before_.*kind)[0].current);
  }

  Statistics before_{};
};

TEST_P(AllocatorTest, MoreThanAProcessCanAddressIsRefusedAtTheCall) {
  EXPECT_THROW((void)torch::empty({std::int64_t{1} << 60}, acpu_), c10::OutOfMemoryError);
  EXPECT_EQ(grown(&Statistics::allocated_bytes), 0);
  EXPECT_EQ(statistics().num_ooms, before_.num_ooms + 1);
}

TEST_P(AllocatorTest, AllocatedIsWhatTensorsHave) {
  const at::Tensor x = torch::ones({kElements}, acpu_);
  synchronize();

  for (const auto kind : {&Statistics::allocated_bytes, &Statistics::active_bytes,
                          &Statistics::reserved_bytes, &Statistics::requested_bytes}) {
    EXPECT_EQ(grown(kind), kBytes);
  }
  for (const auto kind : {&Statistics::allocation, &Statistics::active, &Statistics::segment}) {
    EXPECT_EQ(grown(kind), 1U);
  }
}

TEST_P(AllocatorTest, WhatTheQueueStillUsesIsActiveAndNotAllocated) {
  at::Tensor x = torch::ones({kElements}, acpu_);
  synchronize();
  WorkerGate gate;
  const at::Tensor sum = x.sum();
  const std::uint64_t allocated = grown(&Statistics::allocated_bytes);
  const std::uint64_t active = grown(&Statistics::active_bytes);
  x.reset();

  EXPECT_EQ(grown(&Statistics::allocated_bytes), allocated - kBytes);
  EXPECT_EQ(grown(&Statistics::active_bytes), active);
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, kBytes);

  gate.open();
  EXPECT_EQ(sum.item<float>(), static_cast<float>(kElements));
  synchronize();
  EXPECT_EQ(grown(&Statistics::active_bytes), grown(&Statistics::allocated_bytes));
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, 0U);
  EXPECT_EQ(memory_stats().freed_in_flight_peak_bytes, kBytes);
}

TEST_P(AllocatorTest, PeaksStayUntilTheyAreResetAndThenTheBlockingOperatorsStay) {
  {
    const at::Tensor x = torch::ones({kElements}, acpu_);
    synchronize();
  }
  EXPECT_EQ(grown(&Statistics::allocated_bytes), 0U);
  EXPECT_EQ(grown(&Statistics::requested_bytes), 0U);
  EXPECT_EQ(peak_grown(&Statistics::allocated_bytes), kBytes);
  EXPECT_EQ(peak_grown(&Statistics::reserved_bytes), kBytes);
  (void)torch::ones({2}, acpu_).nonzero();

  allocator().emptyCache();
  allocator().resetPeakStats(0);

  EXPECT_EQ(peak_grown(&Statistics::allocated_bytes), 0U);
  EXPECT_EQ(peak_grown(&Statistics::reserved_bytes), 0U);
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
  EXPECT_EQ(stats.allocated_bytes[0].allocated, std::int64_t{2 * kBytes});
  EXPECT_EQ(stats.allocated_bytes[0].freed, std::int64_t{kBytes});
  EXPECT_EQ(stats.allocation[0].allocated, 2);
  EXPECT_EQ(stats.allocation[0].freed, 1);
  // In stream order `kept` takes what was kept of the first tensor.
  EXPECT_EQ(stats.num_device_alloc, GetParam() == Allocation::kInStreamOrder ? 1 : 2);
  EXPECT_EQ(stats.num_device_free, GetParam() == Allocation::kInStreamOrder ? 0 : 1);
}

RUNAHEAD_RUN_UNDER(AllocatorTest, Allocation::kAtIssue, Allocation::kInStreamOrder,
                   Allocation::kAtExecution);

// Goal: every byte that is resident for a tensor is counted as of one class, and what is not yet
// resident, or resident for the queue itself, is counted apart.

class TensorClassTest : public DeviceTest, public ::testing::WithParamInterface<Allocation> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    configure({.allocation = GetParam()});
    before_ = memory_stats();
  }
  /// What has been added since the test began.
  [[nodiscard]] std::uint64_t grown(TensorClass tensor_class) const {
    const auto index = static_cast<std::size_t>(tensor_class);
    return memory_stats().class_bytes[index] - before_.class_bytes[index];
  }
  [[nodiscard]] std::uint64_t untouched() const {
    return memory_stats().untouched_bytes - before_.untouched_bytes;
  }
  [[nodiscard]] at::Tensor ones() const { return torch::ones({kElements}, acpu_); }

  MemoryStats before_{};
};

TEST_P(TensorClassTest, MemoryIsOfTheClassInWhoseScopeItWasAllocatedWhileAnythingUsesIt) {
  at::Tensor parameter;
  at::Tensor activation;
  at::Tensor input;
  {
    const TensorClassScope parameters(TensorClass::kParameters);
    parameter = ones();
    {
      const TensorClassScope activations(TensorClass::kActivations);
      activation = parameter + 1;
    }
    parameter.add_(activation);
    std::thread([&] {
      const ThreadTensorClassScope inputs(TensorClass::kInputs);
      input = ones();
    }).join();
  }
  const at::Tensor other = ones();
  synchronize();

  for (const TensorClass one : {TensorClass::kParameters, TensorClass::kActivations,
                                TensorClass::kInputs, TensorClass::kOther}) {
    EXPECT_EQ(grown(one), kBytes);
  }
  WorkerGate gate;
  const at::Tensor sum = activation.sum();
  activation.reset();
  EXPECT_EQ(grown(TensorClass::kActivations), kBytes) << "the queue uses it";
  gate.open();
  synchronize();
  EXPECT_EQ(grown(TensorClass::kActivations), 0U);
  EXPECT_EQ(grown(TensorClass::kParameters), kBytes);
}

TEST_P(TensorClassTest, HostDataThatIsHeldIsOfTheClassOfItsCopy) {
  for (const HostCopies way : {HostCopies::kSnapshot, HostCopies::kKeep}) {
    configure({.allocation = GetParam(), .host_copies = way});
    const at::Tensor source = torch::ones({kElements});
    at::Tensor target = ones();
    synchronize();
    WorkerGate gate;
    {
      const TensorClassScope scope(TensorClass::kInputs);
      target.copy_(source, /*non_blocking=*/true);
    }
    EXPECT_EQ(grown(TensorClass::kInputs), kBytes);
    gate.open();
    synchronize();
    EXPECT_EQ(grown(TensorClass::kInputs), 0U);
  }
}

TEST_P(TensorClassTest, MemoryIsUntouchedUntilItsFirstOperationRuns) {
  (void)(ones() + 1).sum().item<float>();  // Learns the shapes, leaves segments to reuse.
  allocator().emptyCache();
  before_ = memory_stats();
  const bool is_claimed_at_issue = GetParam() != Allocation::kAtExecution;
  WorkerGate gate;
  at::Tensor first = ones();
  at::Tensor second = first + 1;
  EXPECT_EQ(untouched(), is_claimed_at_issue ? 2 * kBytes : 0U);
  gate.open();
  synchronize();
  EXPECT_EQ(untouched(), 0U);
  { const at::Tensor never_written = torch::empty({kElements}, acpu_); }
  allocator().emptyCache();
  EXPECT_EQ(untouched(), 0U) << "what is freed is counted no more";
}

TEST_P(TensorClassTest, UntouchedMemoryIsOfTheClassThatHasItNowAndReusedMemoryIsTouched) {
  if (GetParam() != Allocation::kInStreamOrder) GTEST_SKIP() << "only in stream order is it reused";
  const auto untouched_of = [this](TensorClass tensor_class) {
    const auto index = static_cast<std::size_t>(tensor_class);
    return memory_stats().untouched_class_bytes[index] - before_.untouched_class_bytes[index];
  };
  {
    const TensorClassScope scope(TensorClass::kActivations);
    const at::Tensor x = torch::empty({kElements}, acpu_);
    EXPECT_EQ(untouched_of(TensorClass::kActivations), kBytes);
  }
  const TensorClassScope scope(TensorClass::kInputs);
  at::Tensor y = torch::empty({kElements}, acpu_);
  EXPECT_EQ(untouched_of(TensorClass::kActivations), 0U);
  EXPECT_EQ(untouched_of(TensorClass::kInputs), kBytes);
  y.fill_(1);
  synchronize();
  y.reset();
  const at::Tensor reused = torch::empty({kElements}, acpu_);
  EXPECT_EQ(untouched(), 0U);
}

TEST_P(TensorClassTest, CallsThatAreRefusedOrFailLeaveNothingCounted) {
  const at::Tensor x = ones();
  const at::Tensor sparse = torch::eye(3).to_sparse();
  synchronize();
  const MemoryStats before = memory_stats();
  for (int i = 0; i < 3; ++i) EXPECT_ANY_THROW((void)torch::where(x > 0, x, sparse));
  const at::Tensor beyond = torch::full({1}, 2 * kElements, x.options().dtype(torch::kLong));
  EXPECT_THROW((void)x.index_select(0, beyond).cpu(), engine::OperationError);
  synchronize();
  EXPECT_EQ(memory_stats().held_bytes, before.held_bytes);
  EXPECT_EQ(memory_stats().executing_bytes, 0U);
}

TEST_P(TensorClassTest, QueueCountsWhatItTakesItself) {
  const at::Tensor x = ones();
  (void)torch::erfinv(x);
  synchronize();
  const std::uint64_t idle = memory_stats().bookkeeping_bytes;
  WorkerGate gate;
  std::vector<at::Tensor> results;
  for (int i = 0; i < 100; ++i) results.push_back(torch::erfinv(x));
  const std::uint64_t queued = memory_stats().bookkeeping_bytes;
  EXPECT_GT(queued, idle);
  gate.open();
  synchronize();
  EXPECT_LT(memory_stats().bookkeeping_bytes, queued);
}

RUNAHEAD_RUN_UNDER(TensorClassTest, Allocation::kAtIssue, Allocation::kInStreamOrder,
                   Allocation::kAtExecution);

}  // namespace memory_counters_test
}  // namespace runahead::device
