#include <c10/core/CPUAllocator.h>

#include <cstdint>
#include <future>

#include "core/device/device_fixture.h"
#include "core/device/dispatch/operand.h"
#include "core/device/storage/block.h"

namespace runahead::device {
namespace memory_kept_test {

// Goal: under allocation in_stream_order the memory that the last tensor lets go is at once free
// for what is issued next, and no operation in flight ever sees it change. Method: the worker is
// held while tensors come and go, and counters and values are compared.

class SegmentPoolTest : public DeviceTest {
 protected:
  static constexpr std::int64_t kElements = 1024;
  static constexpr std::uint64_t kBytes = kElements * sizeof(float);

  void SetUp() override {
    DeviceTest::SetUp();
    start({.allocation = Allocation::kInStreamOrder});
  }
  void start(const DeviceOptions& options) {
    configure(options);
    allocator().emptyCache();
    reset_peaks();
    reserved_before_ = memory_stats().reserved_bytes;
  }
  [[nodiscard]] std::uint64_t reserved() const {
    return memory_stats().reserved_bytes - reserved_before_;
  }
  [[nodiscard]] at::Tensor filled(float value, std::int64_t elements = kElements) const {
    return torch::full({elements}, value, acpu_);
  }
  [[nodiscard]] at::Tensor empty(std::int64_t elements = kElements) const {
    return torch::empty({elements}, acpu_);
  }

 private:
  std::uint64_t reserved_before_ = 0;
};

TEST_F(SegmentPoolTest, FailureOfAnOperationDoesNotReachWhoTakesItsMemory) {
  WorkerGate gate;
  at::Tensor x = filled(1, 4);
  const auto index = torch::tensor({100}, torch::kLong).to(acpu_);
  x.index_add_(0, index, filled(1, 1));
  x.reset();

  const at::Tensor y = empty(4);
  y.slice(0, 0, 2).fill_(1);
  y.slice(0, 2, 4).fill_(1);

  gate.open();
  EXPECT_THROW(synchronize(), engine::OperationError);
  EXPECT_TRUE(is_full_of(y, 1));
}

TEST_F(SegmentPoolTest, FailureOfAReaderLeavesUnwrittenMemoryAlone) {
  WorkerGate gate;
  at::Tensor x = filled(1);
  const at::Tensor y = x + 1;
  x.reset();
  const at::Tensor z = empty();
  const auto index = torch::full({kElements}, 5000, torch::kLong).to(acpu_);
  const at::Tensor failed = filled(1, 4).index_add(0, index, z);
  z.slice(0, 0, kElements / 2).fill_(3);
  z.slice(0, kElements / 2, kElements).fill_(3);

  gate.open();

  EXPECT_THROW(wait_for(failed), engine::OperationError);
  EXPECT_TRUE(is_full_of(y, 2));
  EXPECT_TRUE(is_full_of(z, 3));
}

TEST_F(SegmentPoolTest, MemoryThatWasTakenAndNeverWrittenStaysBehindWhatUsesIt) {
  WorkerGate gate;
  at::Tensor x = filled(1);
  const at::Tensor y = x + 1;
  x.reset();
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, kBytes);
  at::Tensor unwritten = empty();
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, 0U);
  unwritten.reset();
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, kBytes);

  const at::Tensor z = filled(7);

  gate.open();
  EXPECT_TRUE(is_full_of(y, 2));
  EXPECT_TRUE(is_full_of(z, 7));
  EXPECT_EQ(reserved(), 2 * kBytes);
}

TEST_F(SegmentPoolTest, ReadOfUnwrittenMemoryWaitsForWhatUsesIt) {
  at::Tensor x = filled(1);
  synchronize();
  std::promise<void> opened;
  std::atomic<bool> has_run = false;
  Accesses accesses;
  name_block(accesses, block_of(x), engine::AccessMode::kRead);
  Runtime::get().push({.name = "reader",
                       .body =
                           [&] {
                             opened.get_future().wait();
                             has_run = true;
                           },
                       .accesses = std::move(accesses.list),
                       .cost_bytes = accesses.cost_bytes});
  x.reset();
  const at::Tensor unwritten = empty();

  auto has_run_at_read = std::async(std::launch::async, [&] {
    wait_for(unwritten);
    return has_run.load();
  });
  opened.set_value();

  EXPECT_TRUE(has_run_at_read.get());
}

TEST_F(SegmentPoolTest, FrontEndFillsOnlyMemoryThatNothingUses) {
  const at::Tensor host = torch::full({kElements}, 5.0F);
  at::Tensor x = filled(1);
  synchronize();
  x.reset();
  at::Tensor filled_at_once = host.to(acpu_);
  EXPECT_EQ(memory_stats().held_bytes, 0U);

  WorkerGate gate;
  const at::Tensor y = filled_at_once + 1;
  filled_at_once.reset();
  const at::Tensor copied_by_the_queue = host.to(acpu_);

  EXPECT_EQ(memory_stats().held_bytes, kBytes);
  EXPECT_EQ(reserved(), 2 * kBytes);
  gate.open();
  EXPECT_TRUE(is_full_of(y, 6));
  EXPECT_TRUE(is_full_of(copied_by_the_queue, 5));
}

TEST_F(SegmentPoolTest, EmptyCacheReturnsWhatNothingUses) {
  at::Tensor kept = filled(1);
  { const at::Tensor x = filled(2); }
  synchronize();
  EXPECT_EQ(reserved(), 2 * kBytes);
  const auto before = statistics();
  allocator().emptyCache();
  EXPECT_EQ(reserved(), kBytes);
  EXPECT_EQ(statistics().num_device_free, before.num_device_free + 1);

  WorkerGate gate;
  const at::Tensor y = kept + 1;
  kept.reset();
  allocator().emptyCache();
  EXPECT_EQ(reserved(), 2 * kBytes) << "an operation in flight uses it";
  gate.open();
  EXPECT_TRUE(is_full_of(y, 2));
}

TEST_F(SegmentPoolTest, RequestIsRoundedAndTakesASegmentAtMostAnEighthLarger) {
  { const at::Tensor x = empty(1); }
  EXPECT_EQ(reserved(), SegmentPool::kRounding);
  allocator().emptyCache();
  { const at::Tensor x = empty(9 * 128); }

  { const at::Tensor x = empty(8 * 128); }
  EXPECT_EQ(reserved(), 9 * 512U);

  const at::Tensor x = empty(7 * 128);
  EXPECT_EQ(reserved(), (9 + 7) * 512U);
}

TEST_F(SegmentPoolTest, IdleMemoryIsBoundedByTwiceTheMostInUse) {
  for (std::int64_t elements = 1 << 12; elements < 1 << 22; elements += elements / 4) {
    (void)empty(elements);
  }

  const MemoryStats stats = memory_stats();
  EXPECT_GT(stats.reserved_peak_bytes, stats.allocated_peak_bytes);
  EXPECT_LE(stats.reserved_peak_bytes, 2 * stats.allocated_peak_bytes);
}

TEST_F(SegmentPoolTest, AllocationThatFailsReturnsTheIdleAndTriesOnceMore) {
  (void)empty();
  EXPECT_EQ(reserved(), kBytes);
  const auto before = statistics();

  EXPECT_THROW((void)empty(std::int64_t{1} << 45), c10::OutOfMemoryError);

  EXPECT_EQ(reserved(), 0U);
  EXPECT_EQ(statistics().num_alloc_retries, before.num_alloc_retries + 1);
  EXPECT_EQ(statistics().num_ooms, before.num_ooms + 1);
  EXPECT_TRUE(is_full_of(filled(3), 3));
}

TEST_F(SegmentPoolTest, ResizedTensorKeepsItsValues) {
  WorkerGate gate;
  at::Tensor x = torch::ones({kElements}).to(acpu_);
  const at::Tensor y = x + 1;
  x.resize_({2 * kElements});
  const at::Tensor z = filled(7);  // Takes the memory that the resizing let go.

  gate.open();

  EXPECT_TRUE(is_full_of(x.slice(0, 0, kElements), 1));
  EXPECT_TRUE(is_full_of(y, 2));
  EXPECT_TRUE(is_full_of(z, 7));
}

// Goal: with freed_memory kept, which is the default, results land in memory that earlier results
// had. Together with what is in use, at most five quarters of what results lately had at once is
// kept. Values and every other allocation stay as they are. Method: counters before and after
// single results, and random programs of several threads against cpu.

class WarmMemoryTest : public DeviceTest {
 protected:
  static constexpr std::int64_t kElements = 64 * 1024;
  static constexpr std::uint64_t kBytes = kElements * sizeof(float);

  void SetUp() override {
    DeviceTest::SetUp();
    configure({.freed_memory = FreedMemory::kReturned});
    configure({.freed_memory = FreedMemory::kKept});
  }
  static std::uint64_t kept() {
    synchronize();
    const MemoryStats stats = memory_stats();
    return stats.reserved_bytes - stats.live_bytes;
  }
  static const void* host_address(const at::Tensor& tensor) {
    synchronize();
    return Block::of(tensor.storage().data_ptr()).memory();
  }
  at::Tensor result(std::int64_t elements = kElements) const {
    return torch::ones({elements}, acpu_) * 2;
  }
};

TEST_F(WarmMemoryTest, AResultGetsWhatTheLastOneOfItsSizeHad) {
  at::Tensor first = torch::full({kElements}, 3.0, acpu_).relu();
  const void* const address = host_address(first);
  first.reset();
  EXPECT_GE(kept(), kBytes);

  const at::Tensor second = torch::full({kElements}, 4.0, torch::kCPU).to(acpu_);

  EXPECT_EQ(host_address(second), address);
  EXPECT_TRUE(is_bit_equal(second, torch::full({kElements}, 4.0)));
}

TEST_F(WarmMemoryTest, KeepsAtMostAQuarterMoreThanResultsHadAtOnce) {
  for (int i = 1; i <= 40; ++i) result(kElements * i);  // No size comes twice.

  // A result is made of a tensor of ones, so two are in use.
  EXPECT_LE(kept(), 2 * 40 * kBytes * 5 / 4);
}

TEST_F(WarmMemoryTest, ForgetsWhatResultsHadLongAgo) {
  result(100 * kElements);
  EXPECT_GE(kept(), 100 * kBytes);

  at::Tensor small = result();
  for (std::size_t i = 0; i < 2 * WarmMemory::kWindow; ++i) small = at::cos(small);

  EXPECT_LE(kept(), 10 * kBytes);
}

TEST_F(WarmMemoryTest, IsTheDefaultExceptWithAPoolThatKeepsMemoryItself) {
  configure({});
  result();
  EXPECT_GE(kept(), kBytes);

  configure({.allocation = Allocation::kCaching});
  allocator().emptyCache();
  EXPECT_EQ(kept(), 0U);
}

TEST_F(WarmMemoryTest, LeavesTheAllocatorOfTheProgramAlone) {
  struct OfTheProgram final : c10::Allocator {
    c10::DataPtr allocate(std::size_t bytes) override { return all.allocate(bytes); }
    c10::DeleterFnPtr raw_deleter() const override { return all.raw_deleter(); }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
      all.copy_data(to, from, bytes);
    }
    c10::Allocator& all = *c10::GetDefaultCPUAllocator();
  } of_the_program;
  c10::SetCPUAllocator(&of_the_program);

  EXPECT_THROW(configure({.freed_memory = FreedMemory::kKept}), UnavailableError);
  configure({});
  EXPECT_TRUE(is_bit_equal(result(), torch::full({kElements}, 2.0)));
  EXPECT_EQ(kept(), 0U);
  EXPECT_EQ(c10::GetCPUAllocator(), &of_the_program);

  c10::SetCPUAllocator(c10::GetDefaultCPUAllocator());
}

TEST_F(WarmMemoryTest, ReturnsWhatIsKeptWhenAskedTo) {
  result();
  EXPECT_NE(kept(), 0U);
  allocator().emptyCache();
  EXPECT_EQ(kept(), 0U);

  result();
  EXPECT_NE(kept(), 0U);
  at::Tensor old = result();
  synchronize();
  configure({.freed_memory = FreedMemory::kReturned});
  EXPECT_EQ(kept(), 0U);
  EXPECT_TRUE(is_full_of(old, 2));
  old.reset();
  EXPECT_EQ(kept(), 0U) << "what was made before is returned, too";
}

TEST_F(WarmMemoryTest, CountsWhatALibraryAllocatesByItsRawInterface) {
  for (int i = 0; i < 100; ++i) {
    const WarmMemory::Scope kernel;
    c10::Allocator& allocator = *c10::GetCPUAllocator();
    allocator.raw_deallocate(allocator.raw_allocate(kBytes));
  }
  EXPECT_EQ(kept(), kBytes);
}

}  // namespace memory_kept_test
}  // namespace runahead::device
