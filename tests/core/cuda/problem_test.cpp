#include "core/cuda/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::cuda {
namespace problem_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kOldDriver = 12040;
constexpr int kRuntime = 13000;

TEST(CudaProblem, NamesTheDriverThatIsMissing) {
  EXPECT_THAT(problem_of(cudaErrorInsufficientDriver, {}), HasSubstr("no NVIDIA driver"));
}

TEST(CudaProblem, SaysWhichVersionsADriverThatIsTooOldAndLibTorchAreOf) {
  const std::string problem = problem_of(
      cudaErrorInsufficientDriver, {.driver_version = kOldDriver, .runtime_version = kRuntime});

  EXPECT_THAT(problem, StartsWith("the NVIDIA driver is too old: it supports CUDA 12.4"));
  EXPECT_THAT(problem, HasSubstr("uses CUDA 13.0; install a newer driver"));
}

TEST(CudaProblem, ReportsThatADriverFoundNoDevice) {
  for (const cudaError_t error : {cudaErrorNoDevice, cudaSuccess}) {
    EXPECT_THAT(problem_of(error, {.driver_version = kRuntime, .runtime_version = kRuntime}),
                StartsWith("the NVIDIA driver, of CUDA 13.0, found no device"));
  }
}

TEST(CudaProblem, GivesAnyOtherErrorInCudasWords) {
  EXPECT_THAT(problem_of(cudaErrorSystemNotReady, {.driver_version = kRuntime}),
              StartsWith("CUDA could not be started: system not yet initialized"));
}

}  // namespace problem_test
}  // namespace runahead::cuda
