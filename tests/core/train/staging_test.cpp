#include "core/train/staging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/device/device_fixture.h"

namespace runahead::train {
namespace staging_test {

using ::testing::ElementsAre;

using Calls = std::vector<std::string>;

/// Host memory and copies that write down what is asked of them.
class WrittenBuffers final : public HostBuffers {
 public:
  WrittenBuffers(Calls& calls, bool allows_non_blocking)
      : calls_(calls), allows_non_blocking_(allows_non_blocking) {}

  Batch stage(const Batch& host) override {
    calls_.emplace_back("stage");
    return {.inputs = host.inputs + 1, .targets = host.targets + 1};
  }
  void copied(const c10::Stream& stream) override {
    calls_.push_back("copied on " + std::to_string(stream.id()));
  }
  [[nodiscard]] bool allows_non_blocking() const noexcept override { return allows_non_blocking_; }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch& staged) const override {
    return 100 * bytes_of(staged);
  }

 private:
  Calls& calls_;
  bool allows_non_blocking_;
};

class WrittenCopies final : public DeviceCopies {
 public:
  explicit WrittenCopies(Calls& calls) : calls_(calls) {}

  Batch copy(const Batch& staged, bool non_blocking) override {
    calls_.emplace_back(non_blocking ? "copy" : "blocking copy");
    return {.inputs = staged.inputs * 2, .targets = staged.targets * 2};
  }
  [[nodiscard]] c10::Stream stream() const override {
    return c10::Stream(c10::Stream::UNSAFE, torch::kCPU, 7);
  }
  [[nodiscard]] std::uint64_t kept_bytes(const Batch& batch) const override {
    return 1000 * bytes_of(batch);
  }

 private:
  Calls& calls_;
};

Batch ones() { return {.inputs = torch::ones({2, 1}), .targets = torch::ones({2, 1})}; }

TEST(CopyStaging, StagesThenCopiesThenReportsTheMemoryOfIt) {
  Calls calls;
  CopyStaging staging(std::make_unique<WrittenBuffers>(calls, true),
                      std::make_unique<WrittenCopies>(calls));

  const Batch batch = staging.to_device(ones());

  EXPECT_THAT(calls, ElementsAre("stage", "copy", "copied on 7"));
  EXPECT_TRUE(batch.inputs.equal(torch::full({2, 1}, 4.0F))) << "(1 + 1) * 2";
  EXPECT_EQ(batch.kept_bytes, 1100 * 4 * sizeof(float)) << "by either side";

  Calls blocking_calls;
  CopyStaging blocking(std::make_unique<WrittenBuffers>(blocking_calls, false),
                       std::make_unique<WrittenCopies>(blocking_calls));
  static_cast<void>(blocking.to_device(ones()));
  EXPECT_THAT(blocking_calls, ElementsAre("stage", "blocking copy", "copied on 7"))
      << "from memory that the caller may change";
}

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

}  // namespace staging_test
}  // namespace runahead::train
