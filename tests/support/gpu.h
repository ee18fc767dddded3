#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace runahead::test {

/// Whether the environment promises a CUDA device: RUNAHEAD_EXPECT_GPU=1.
inline bool is_gpu_promised() {
  const char* promised = std::getenv("RUNAHEAD_EXPECT_GPU");
  return promised != nullptr && std::string_view(promised) == "1";
}

}  // namespace runahead::test

/// For tests that need a CUDA device, in a fixture's SetUp or first in a test's body. Unless
/// `problem`, the reason why there is no device, is empty, skips the test, or fails it if a device
/// is promised.
#define RUNAHEAD_NEEDS_GPU(problem)                                                  \
  do {                                                                               \
    const std::string gpu_problem = (problem);                                       \
    if (gpu_problem.empty()) break;                                                  \
    if (::runahead::test::is_gpu_promised()) {                                       \
      FAIL() << "RUNAHEAD_EXPECT_GPU=1 promises a CUDA device, but " << gpu_problem; \
    }                                                                                \
    GTEST_SKIP() << "skipped: no CUDA device: " << gpu_problem;                      \
  } while (false)
