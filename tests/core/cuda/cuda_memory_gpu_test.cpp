// The figures against tensors whose size is known.
#include "core/cuda/cuda_memory.h"

#include <c10/util/Exception.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cuda/active_allocator.h"
#include "core/cuda/availability.h"
#include "core/cuda/memory_sources.h"
#include "core/cuda/pinned.h"
#include "gpu_fixture.h"

namespace runahead::cuda {
namespace {

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

}  // namespace
}  // namespace runahead::cuda
