#pragma once

#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include "core/cuda/availability.h"
#include "support/gpu.h"

namespace runahead::test {

/// Tests on the first CUDA device; skipped where there is none.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override { RUNAHEAD_NEEDS_GPU(cuda::availability().problem); }

  [[nodiscard]] torch::TensorOptions on_device() const {
    return torch::TensorOptions(torch::kFloat32).device(device_);
  }

  const torch::Device device_{torch::kCUDA, 0};
};

}  // namespace runahead::test
