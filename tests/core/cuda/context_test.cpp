#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/cuda/context.h"
#include "core/cuda/memory_sources.h"
#include "core/cuda/problem.h"

namespace runahead::cuda {
namespace context_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kMissingDevice = 127;

TEST(CudaContext, IsNotOnADeviceThatIsNotThere) {
  EXPECT_LT(device_count(), kMissingDevice);
  for (const int device : {kMissingDevice, -1}) {
    EXPECT_FALSE(has_context(device)) << device;
    EXPECT_FALSE(ContextScope(device).is_there()) << device;
  }
}

TEST(SampledPeak, IsTheHighestSinceItWasReset) {
  SampledPeak peak;
  EXPECT_EQ(peak.highest(), std::nullopt);

  for (const std::uint64_t reading : {3U, 7U, 5U}) peak.note(reading);
  EXPECT_EQ(peak.highest(), 7U);

  peak.reset();
  EXPECT_EQ(peak.highest(), std::nullopt);
  peak.note(2);
  EXPECT_EQ(peak.highest(), 2U);
}

TEST(NvmlProbe, ReadsNullWithoutADeviceAndNotesNoPeak) {
  const auto peak = std::make_shared<SampledPeak>();
  const auto probe = make_nvml_probe(find_nvml_device(kMissingDevice), peak);
  std::vector<memory::Reading> readings(probe->columns().size(), memory::Reading(1));

  probe->read(readings);

  EXPECT_EQ(readings, std::vector<memory::Reading>(2));
  EXPECT_EQ(peak->highest(), std::nullopt);
}

TEST(CudaProblem, NamesWhatIsMissingAndTheVersionsThatDoNotFit) {
  constexpr int kOldDriver = 12040;
  constexpr int kRuntime = 13000;
  EXPECT_THAT(problem_of(cudaErrorInsufficientDriver, {}), HasSubstr("no NVIDIA driver"));
  const std::string too_old = problem_of(
      cudaErrorInsufficientDriver, {.driver_version = kOldDriver, .runtime_version = kRuntime});
  EXPECT_THAT(too_old, StartsWith("the NVIDIA driver is too old: it supports CUDA 12.4"));
  EXPECT_THAT(too_old, HasSubstr("uses CUDA 13.0; install a newer driver"));
  for (const cudaError_t error : {cudaErrorNoDevice, cudaSuccess}) {
    EXPECT_THAT(problem_of(error, {.driver_version = kRuntime, .runtime_version = kRuntime}),
                StartsWith("the NVIDIA driver, of CUDA 13.0, found no device"));
  }
  EXPECT_THAT(problem_of(cudaErrorSystemNotReady, {.driver_version = kRuntime}),
              StartsWith("CUDA could not be started: system not yet initialized"));
}

}  // namespace context_test
}  // namespace runahead::cuda
