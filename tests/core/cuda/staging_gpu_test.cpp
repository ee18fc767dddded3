// What each way to the device keeps while batches queue behind a device that is held.
#include "core/cuda/staging.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cuda/active_allocator.h"
#include "core/cuda/cuda_memory.h"
#include "core/cuda/device_hold.h"
#include "gpu_fixture.h"

namespace runahead::cuda {
namespace {

using config::Copies;
using config::Staging;

constexpr std::size_t kBatches = 8;
constexpr std::size_t kBuffers = 4;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
/// Both a power of two, as blocks of page-locked memory are.
constexpr std::uint64_t kBatchBytes = 4 * kMebibyte + 4096;
/// So long that all batches are issued before it ends.
constexpr double kHoldSeconds = 2.0;

class CudaStagingOnGpu : public test::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    memory_ = make_device_memory(device_);
    hold_ = make_device_hold(device_);
  }

  /// Takes a batch of this value to the device and adds its elements up there.
  torch::Tensor use_batch(train::Staging& staging, std::size_t value) {
    host_.inputs.fill_(static_cast<float>(value));
    const train::Batch batch = staging.to_device(host_);
    kept_bytes_ = batch.kept_bytes;
    return batch.inputs.sum() + batch.targets.sum();
  }

  /// Queues all batches behind a held device. @return by how much a figure's peak passed what it
  /// was before.
  std::uint64_t growth(Staging kind, Copies copies, const std::string& figure) {
    config::ExperimentConfig config;
    config.cuda = {.staging = kind, .copies = copies, .buffers = std::int64_t{kBuffers}};
    const auto staging = make_staging(config, device_);
    hold_(0.001);  // Kernels are loaded before the device is held.
    use_batch(*staging, 0);
    torch::cuda::synchronize();
    memory_->trim();
    memory_->reset_peaks();
    const auto before = memory_->report().at(figure + "_bytes").get<std::uint64_t>();
    hold_(kHoldSeconds);
    sums_.clear();
    for (std::size_t i = 0; i < kBatches; ++i) sums_.push_back(use_batch(*staging, i));
    const auto peak = memory_->report().at(figure + "_peak_bytes").get<std::uint64_t>();
    torch::cuda::synchronize();
    return peak - before;
  }

  /// Whatever was kept, each batch had its own values when it was used.
  void expect_right_sums() {
    const auto elements = static_cast<float>(host_.inputs.numel());
    for (std::size_t i = 0; i < kBatches; ++i) {
      EXPECT_EQ(sums_[i].item<float>(), elements * static_cast<float>(i)) << "batch " << i;
    }
  }

  train::Batch host_{.inputs = torch::zeros({1024, 1024}), .targets = torch::zeros({1024, 1})};
  std::unique_ptr<train::DeviceMemory> memory_{};
  train::DeviceHold hold_{};
  std::vector<torch::Tensor> sums_{};
  std::uint64_t kept_bytes_ = 0;
};

TEST_F(CudaStagingOnGpu, MemoryGrowsWithTheBatchesInFlightExceptInRingsAndOnOneStream) {
  const struct {
    Staging staging;
    Copies copies;
    const char* figure;
    std::uint64_t least;
    std::uint64_t most;
    std::optional<std::uint64_t> kept{};  ///< By one batch, on the host and on the device.
  } cases[]{{Staging::kPinned, Copies::kInOrder, "pinned", kBatches, kBatches, 1},
            {Staging::kPinnedRing, Copies::kInOrder, "pinned", 0, kBuffers, 0},
            {Staging::kPinned, Copies::kSideRecordStream, "active", kBatches, 2 * kBatches, 2},
            {Staging::kPinned, Copies::kSideReuse, "active", 0, kBuffers},
            {Staging::kPinned, Copies::kInOrder, "active", 0, 2}};
  for (const auto& one : cases) {
    SCOPED_TRACE(std::string(one.figure) + " up to " + std::to_string(one.most));
    const bool is_one_stream = one.copies == Copies::kInOrder && one.figure[0] == 'a';
    if (is_one_stream && !is_native_allocator()) continue;  // The driver's pool waits.
    const std::uint64_t grown = growth(one.staging, one.copies, one.figure);
    EXPECT_GE(grown, one.least * kBatchBytes);
    EXPECT_LE(grown, one.most * kBatchBytes + (one.copies == Copies::kSideReuse ? kMebibyte : 0));
    if (one.kept) {
      EXPECT_EQ(kept_bytes_, *one.kept * kBatchBytes);
    }
    expect_right_sums();
  }
}

}  // namespace
}  // namespace runahead::cuda
