// Goal: with freed_memory kept, which is the default, results land in memory that earlier results
// had. Together with what is in use, at most five quarters of what results lately had at once is
// kept. Values and every other allocation stay as they are. Method: counters before and after
// single results, and random programs of several threads against cpu.
#include <c10/core/CPUAllocator.h>

#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/device/storage/block.h"

namespace runahead::device {
namespace warm_memory_test {

constexpr std::int64_t kElements = 64 * 1024;
constexpr std::uint64_t kBytes = kElements * sizeof(float);

class WarmMemoryTest : public DeviceTest {
 protected:
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
  c10::getDeviceAllocator(at::kPrivateUse1)->emptyCache();
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
  c10::getDeviceAllocator(at::kPrivateUse1)->emptyCache();
  EXPECT_EQ(kept(), 0U);

  result();
  EXPECT_NE(kept(), 0U);
  configure({.freed_memory = FreedMemory::kReturned});
  EXPECT_EQ(kept(), 0U);
}

TEST_F(WarmMemoryTest, CountsWhatALibraryAllocatesByItsRawInterface) {
  for (int i = 0; i < 100; ++i) {
    const WarmMemory::Scope kernel;
    c10::Allocator& allocator = *c10::GetCPUAllocator();
    allocator.raw_deallocate(allocator.raw_allocate(kBytes));
  }
  EXPECT_EQ(kept(), kBytes);
}

TEST_F(WarmMemoryTest, IsRefusedTogetherWithAPoolThatKeepsMemoryItself) {
  EXPECT_THROW(configure({.allocation = Allocation::kCaching, .freed_memory = FreedMemory::kKept}),
               UsageError);
}

TEST_F(WarmMemoryTest, ThePeakOfReservedMemoryHasWhatIsKept) {
  for (int i = 1; i <= 10; ++i) result(kElements * i);

  const std::uint64_t reserved = kept() + memory_stats().live_bytes;
  EXPECT_GE(memory_stats().reserved_peak_bytes, reserved);
}

TEST_F(WarmMemoryTest, ResultsOutliveTheSetting) {
  at::Tensor old = result();
  synchronize();

  configure({.freed_memory = FreedMemory::kReturned});

  EXPECT_TRUE(is_bit_equal(old, torch::full({kElements}, 2.0)));
  old.reset();
  EXPECT_EQ(kept(), 0U);
}

TEST_F(WarmMemoryTest, TensorsOfTheCpuAreNotItsConcern) {
  for (int i = 0; i < 4; ++i) static_cast<void>(torch::ones({kElements}) * 2);
  void* const raw = c10::GetCPUAllocator()->raw_allocate(kBytes);
  c10::GetCPUAllocator()->raw_deallocate(raw);

  EXPECT_EQ(kept(), 0U);
}

/// Sums, products and views of three tensors of two sizes, by a random number of each.
at::Tensor random_program(unsigned seed, torch::Device device) {
  std::minstd_rand random(seed);
  std::vector<at::Tensor> values;
  for (int i = 0; i < 3; ++i) {
    values.push_back(torch::full({256, 256 + 64 * (i % 2)}, 0.5 + i).to(device));
  }
  for (int step = 0; step < 300; ++step) {
    at::Tensor& target = values[random() % 3];
    const at::Tensor& other = values[random() % 3];
    switch (random() % 4) {
      case 0:
        target = (target + other.mean()) * 0.5;
        break;
      case 1:
        target = (target.slice(1, 0, 256).t() * 0.25).contiguous();
        break;
      case 2:
        target.add_(1);
        break;
      default:
        target = torch::cat({target.slice(1, 0, 200), other.slice(1, 0, 56)}, 1).sin();
    }
  }
  return torch::cat({values[0], values[1], values[2]}, 1).cpu();
}

TEST_F(WarmMemoryTest, SeveralThreadsGetTheValuesOfTheCpu) {
  for (const Allocation allocation :
       {Allocation::kAtExecution, Allocation::kAtIssue, Allocation::kInStreamOrder}) {
    SCOPED_TRACE(allocation_name(allocation));
    configure({.workers = 3, .allocation = allocation, .freed_memory = FreedMemory::kKept});
    std::vector<at::Tensor> found(3);
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < found.size(); ++i) {
        threads.emplace_back([&, i] { found[i] = random_program(i, acpu_); });
      }
    }
    for (unsigned i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(is_bit_equal(found[i], random_program(i, torch::kCPU)));
    }
  }
}

}  // namespace warm_memory_test
}  // namespace runahead::device
