// Goal: with freed_memory kept, which is the default, results land in memory that earlier results
// had. Together with what is in use, at most five quarters of what results lately had at once is
// kept. Values and every other allocation stay as they are. Method: counters before and after
// single results, and random programs of several threads against cpu.
#include <c10/core/CPUAllocator.h>

#include <cstdint>

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

}  // namespace warm_memory_test
}  // namespace runahead::device
