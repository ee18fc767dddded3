// Without a GPU: a device that is not there is measured nowhere, and nothing fails for it.
#include "core/cuda/cuda_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace runahead::cuda {
namespace cuda_memory_test {

using ::testing::Each;

class MissingDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    memory_ = make_device_memory(torch::Device(torch::kCUDA, c10::DeviceIndex{127}));
    if (memory_ == nullptr) GTEST_SKIP() << "this LibTorch was built without CUDA";
  }

  std::unique_ptr<train::DeviceMemory> memory_{};
};

TEST_F(MissingDevice, EveryFigureIsNull) {
  const Json report = memory_->report();

  const std::set<std::string> facts{"allocator", "available"};
  for (const auto& [key, value] : report.items()) {
    if (facts.contains(key)) continue;
    EXPECT_TRUE(value.is_null()) << key << ": " << value;
  }
  for (const auto& [source, is_available] : report.at("available").items()) {
    EXPECT_FALSE(is_available.get<bool>()) << source;
  }
}

TEST_F(MissingDevice, EveryProbeReadsNullAndOutlivesTheMemoryItWasMadeOf) {
  const auto probes = memory_->make_probes();
  memory_.reset();
  for (const auto& probe : probes) {
    std::vector<memory::Reading> readings(probe->columns().size(), memory::Reading(1));

    probe->read(readings);

    EXPECT_THAT(readings, Each(memory::Reading())) << probe->columns().front().name;
  }
}

TEST_F(MissingDevice, ColumnsAreThoseThatSamplesHave) {
  std::set<std::string> columns;
  for (const auto& probe : memory_->make_probes()) {
    for (const memory::Column& column : probe->columns()) columns.insert(column.name);
  }

  EXPECT_EQ(columns,
            (std::set<std::string>{"cuda_used_bytes", "cuda_allocated_bytes", "cuda_reserved_bytes",
                                   "cuda_active_bytes", "cuda_requested_bytes", "cuda_pinned_bytes",
                                   "cuda_pool_used_bytes", "cuda_pool_reserved_bytes",
                                   "nvml_process_bytes", "nvml_utilisation_percent"}));
}

TEST_F(MissingDevice, OnlyACudaDeviceHasSuchMemory) {
  EXPECT_THROW(static_cast<void>(make_device_memory(torch::kCPU)), UsageError);
}

}  // namespace cuda_memory_test
}  // namespace runahead::cuda
