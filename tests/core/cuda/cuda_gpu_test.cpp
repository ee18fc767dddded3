#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/cuda/active_allocator.h"
#include "core/cuda/cuda_memory.h"
#include "core/cuda/device_hold.h"
#include "core/cuda/memory_sources.h"
#include "core/cuda/pinned.h"
#include "core/cuda/staging.h"
#include "core/train/back_end.h"
#include "gpu_fixture.h"

namespace runahead::cuda {
namespace {

// The figures against tensors whose size is known.

constexpr std::int64_t kElements = std::int64_t{16} << 20;
constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;  ///< Of so many float32.

class CudaMemoryFigures : public test::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    memory_ = make_device_memory(device_);
    torch::ones({1}, on_device()).add_(1);
    torch::cuda::synchronize();
    memory_->trim();
    memory_->reset_peaks();
  }

  [[nodiscard]] std::uint64_t figure(const std::string& key) const {
    return memory_->report().at(key).get<std::uint64_t>();
  }

  std::unique_ptr<train::DeviceMemory> memory_{};
};

TEST_F(CudaMemoryFigures, ATensorIsAllocatedWhileItLivesAndKeptUntilItIsTrimmed) {
  const std::uint64_t before = figure("allocated_bytes");

  torch::Tensor tensor = torch::empty({kElements}, on_device());
  EXPECT_EQ(figure("allocated_bytes") - before, kBytes);
  EXPECT_GE(figure("reserved_bytes"), kBytes);
  EXPECT_GE(figure("used_bytes"), kBytes);
  EXPECT_GE(figure("total_bytes"), figure("used_bytes"));
  const auto probe = make_allocator_probe(0);
  std::vector<memory::Reading> readings(probe->columns().size());
  probe->read(readings);
  EXPECT_EQ(readings[0], figure("allocated_bytes"));
  EXPECT_EQ(readings[1], figure("reserved_bytes"));
  EXPECT_EQ(readings[2], figure("active_bytes"));

  tensor.reset();
  EXPECT_EQ(figure("allocated_bytes"), before);
  EXPECT_EQ(figure("allocated_peak_bytes") - before, kBytes);
  EXPECT_GE(figure("used_peak_bytes"), figure("used_bytes")) << "without a monitor, too";
  memory_->reset_peaks();
  EXPECT_EQ(figure("allocated_peak_bytes"), figure("allocated_bytes"));
  EXPECT_GE(figure("reserved_bytes"), kBytes);
  memory_->trim();
  EXPECT_LT(figure("reserved_bytes"), kBytes);
  const Json available = memory_->report().at("available");
  for (const char* source : {"cuda_memory", "allocator", "pinned_memory"}) {
    EXPECT_TRUE(available.at(source).get<bool>()) << source;
  }
  EXPECT_NE(available.at("pool").get<bool>(), is_native_allocator());
  EXPECT_EQ(available.at("nvml"), probe_availability(0).at("nvml"));
}

TEST_F(CudaMemoryFigures, RequestedIsWhatWasAskedForAndNotWhatItWasRoundedTo) {
  if (!is_native_allocator()) GTEST_SKIP() << "only the native allocator counts requests";
  const std::uint64_t allocated = figure("allocated_bytes");
  const std::uint64_t requested = figure("requested_bytes");

  const torch::Tensor tensor = torch::empty({1}, on_device());

  EXPECT_EQ(figure("requested_bytes") - requested, sizeof(float));
  EXPECT_GT(figure("allocated_bytes") - allocated, sizeof(float));
}

TEST_F(CudaMemoryFigures, PinnedMemoryIsCountedUntilItIsTrimmed) {
  const std::uint64_t before = figure("pinned_bytes");

  torch::Tensor pinned = make_pinned_like(torch::empty({1024, 1024}));
  EXPECT_TRUE(pinned.is_pinned());
  EXPECT_TRUE(pinned.sizes().equals({1024, 1024}));
  EXPECT_EQ(figure("pinned_bytes") - before, pinned.nbytes());

  pinned.reset();
  memory_->trim();
  EXPECT_EQ(figure("pinned_bytes"), before);
}

TEST_F(CudaMemoryFigures, TheManagementLibraryReportsTheUseOfTheDevice) {
  const std::optional<NvmlDevice> found = find_nvml_device(0);
  if (!found) GTEST_SKIP() << "there is no NVML here";

  const auto percent = found->library->utilisation_percent(found->device);

  ASSERT_TRUE(percent);
  EXPECT_LE(*percent, 100U);
}

TEST_F(CudaMemoryFigures, MemoryThatCannotBeHadIsSummarisedAndNotTheEnd) {
  if (!is_native_allocator()) GTEST_SKIP() << "only the native allocator reports it";
  const auto too_much = static_cast<std::int64_t>(2 * figure("total_bytes") / sizeof(float));

  EXPECT_THROW(static_cast<void>(torch::empty({too_much}, on_device())), c10::OutOfMemoryError);

  const Json report = memory_->report();
  EXPECT_EQ(report.at("num_ooms"), 1);
  EXPECT_NE(report.at("out_of_memory_summary").get<std::string>().find("could not be had"),
            std::string::npos)
      << report;
  EXPECT_NO_THROW(torch::ones({1024}, on_device()).add_(1));
  torch::cuda::synchronize();
  memory_->reset_peaks();
  EXPECT_TRUE(memory_->report().at("out_of_memory_summary").is_null());
}

/// So long that whatever the front end does meanwhile is done before it ends.
constexpr double kLongSeconds = 2.0;

class CudaHoldOnGpu : public test::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    hold_ = make_device_hold(device_);
    back_end_ = train::make_back_end(device_);
    hold_(0.001);  // Loads the kernel.
    back_end_->synchronize();
  }

  train::DeviceHold hold_{};
  std::unique_ptr<train::BackEnd> back_end_{};
};

TEST_F(CudaHoldOnGpu, LastsAtLeastAsLongAsAsked) {
  constexpr double kSeconds = 0.1;
  constexpr double kClocksMayDiffer = 0.99;
  const TimePoint begun = Clock::now();

  hold_(kSeconds);
  back_end_->synchronize();

  EXPECT_GE(seconds_between(begun, Clock::now()), kSeconds * kClocksMayDiffer);
}

TEST_F(CudaHoldOnGpu, DoesNotHoldTheFrontEnd) {
  hold_(kLongSeconds);
  const auto mark = back_end_->mark();

  EXPECT_FALSE(mark->is_finished());
  back_end_->synchronize();
  EXPECT_TRUE(mark->is_finished());
}

TEST_F(CudaHoldOnGpu, OtherStreamsGoOn) {
  const c10::impl::VirtualGuardImpl guard(device_.type());
  const c10::Stream side = guard.getStreamFromGlobalPool(device_);
  hold_(kLongSeconds);

  {
    const c10::StreamGuard on_side(side);
    hold_(0.001);
  }
  // Not before: streams may share a queue of the hardware, where this would be in front.
  const auto mark = back_end_->mark();
  side.synchronize();

  EXPECT_FALSE(mark->is_finished());
  back_end_->synchronize();
}

TEST_F(CudaHoldOnGpu, FiguresOfMemoryAreReadWhileTheDeviceIsHeld) {
  constexpr int kReadings = 100;
  const auto memory = make_device_memory(device_);
  const auto probes = memory->make_probes();
  hold_(kLongSeconds);
  const auto mark = back_end_->mark();

  for (int i = 0; i < kReadings; ++i) {
    for (const auto& probe : probes) {
      std::vector<memory::Reading> readings(probe->columns().size());
      probe->read(readings);
    }
  }
  const Json report = memory->report();  // Reads what is dear, too.

  EXPECT_FALSE(mark->is_finished()) << "nothing waited for the device";
  EXPECT_TRUE(report.at("available").at("cuda_memory").get<bool>());
  back_end_->synchronize();
}

// What each way to the device keeps while batches queue behind a device that is held.

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
