#include "core/train/staging.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/device/device_fixture.h"

namespace runahead::train {
namespace staging_test {

using ::testing::ElementsAre;

/// Writes down which copies need not block.
class WrittenCopies final : public DeviceCopies {
 public:
  explicit WrittenCopies(std::vector<bool>& non_blocking) : non_blocking_(non_blocking) {}
  Batch copy(const Batch& staged, bool non_blocking) override {
    non_blocking_.push_back(non_blocking);
    return staged;
  }
  [[nodiscard]] c10::Stream stream() const override {
    return c10::impl::VirtualGuardImpl(c10::DeviceType::PrivateUse1)
        .getStream({c10::DeviceType::PrivateUse1, 0});
  }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch&) const override { return 0; }

 private:
  std::vector<bool>& non_blocking_;
};

class StagingOnDeviceTest : public device::DeviceTest {
 protected:
  static MakeHostTensor make() {
    return [](const torch::Tensor& like) { return torch::empty_like(like); };
  }
  static std::vector<std::unique_ptr<HostBuffers>> every_memory() {
    std::vector<std::unique_ptr<HostBuffers>> kinds;
    kinds.push_back(std::make_unique<PageableBuffers>());
    kinds.push_back(std::make_unique<FreshBuffers>(make()));
    kinds.push_back(std::make_unique<RingBuffers>(2, make()));
    return kinds;
  }
  [[nodiscard]] std::vector<std::unique_ptr<DeviceCopies>> every_copy() const {
    std::vector<std::unique_ptr<DeviceCopies>> kinds;
    kinds.push_back(std::make_unique<InOrderCopies>(acpu_));
    kinds.push_back(std::make_unique<RecordStreamCopies>(acpu_));
    kinds.push_back(std::make_unique<ReuseCopies>(acpu_, ReuseOptions{.buffers = 2}));
    return kinds;
  }
  static Batch ones() { return {.inputs = torch::ones({2, 1}), .targets = torch::ones({2, 1})}; }
};

TEST_F(StagingOnDeviceTest, AnyMemoryGoesWithAnyCopy) {
  for (std::size_t memory = 0; memory < every_memory().size(); ++memory) {
    for (std::size_t copy = 0; copy < every_copy().size(); ++copy) {
      SCOPED_TRACE(std::to_string(memory) + ", " + std::to_string(copy));
      CopyStaging staging(std::move(every_memory()[memory]), std::move(every_copy()[copy]));
      torch::Tensor sum = torch::zeros({2}, acpu_);
      const Batch host{.inputs = torch::zeros({2}), .targets = torch::zeros({2})};
      for (int i = 1; i <= 10; ++i) {
        host.inputs.fill_(i);  // As soon as to_device() has returned, they are the caller's.
        host.targets.fill_(10 * i);
        const Batch batch = staging.to_device(host);
        sum += batch.inputs + batch.targets;
      }
      EXPECT_TRUE(sum.cpu().equal(torch::full({2}, 55.0F * 11.0F)));
      for (int size = 3; size <= 5; ++size) {  // Into buffers that had another shape.
        const Batch wide = staging.to_device(
            {.inputs = torch::ones({size, 4}), .targets = torch::ones({size}, torch::kInt64)});
        EXPECT_TRUE(wide.inputs.cpu().equal(torch::ones({size, 4})));
        EXPECT_TRUE(wide.targets.cpu().equal(torch::ones({size}, torch::kInt64)));
      }
    }
  }
}

TEST_F(StagingOnDeviceTest, CopiesBlockFromMemoryThatTheCallerMayChange) {
  std::vector<bool> non_blocking;
  for (auto& memory : every_memory()) {
    CopyStaging staging(std::move(memory), std::make_unique<WrittenCopies>(non_blocking));
    static_cast<void>(staging.to_device(ones()));
  }

  EXPECT_THAT(non_blocking, ElementsAre(false, true, true)) << "pageable, fresh, a ring";
}

TEST_F(StagingOnDeviceTest, BytesKeptAreThoseOfFreshMemoryAndOfDeferredFrees) {
  const std::uint64_t bytes = bytes_of(ones());
  std::vector<std::uint64_t> kept;
  for (std::size_t memory = 0; memory < every_memory().size(); ++memory) {
    for (std::size_t copy = 0; copy < every_copy().size(); ++copy) {
      CopyStaging staging(std::move(every_memory()[memory]), std::move(every_copy()[copy]));
      kept.push_back(staging.to_device(ones()).kept_bytes);
    }
  }

  EXPECT_THAT(kept, ElementsAre(0, bytes, 0,              // Pageable.
                                bytes, 2 * bytes, bytes,  // Fresh.
                                0, bytes, 0));            // Ring.
}

TEST_F(StagingOnDeviceTest, ARingWaitsForTheOldestCopyAloneAndOnlyWhenItIsFull) {
  const c10::impl::VirtualGuardImpl device(acpu_.type());
  const c10::Stream side = device.getStreamFromGlobalPool(acpu_);
  RingBuffers ring(2, make());
  const Batch first = ring.stage(ones());
  ring.copied(side);  // This passes, whatever the gate holds.
  std::atomic<bool> is_open = false;
  device::WorkerGate gate;
  static_cast<void>(ring.stage(ones()));
  ring.copied(device.getStream(acpu_));
  EXPECT_TRUE(ring.stage(ones()).inputs.is_same(first.inputs));
  ring.copied(side);

  std::thread opener([&] {
    is_open = true;
    gate.open();
  });
  static_cast<void>(ring.stage(ones()));
  EXPECT_TRUE(is_open) << "the second copy was waited for";
  opener.join();
}

}  // namespace staging_test
}  // namespace runahead::train
