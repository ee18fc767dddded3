#include "core/cuda/staging.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/base/error.h"

namespace runahead::cuda {
namespace staging_test {

TEST(CudaStaging, OtherDevicesTakeBatchesAsTheyAre) {
  config::ExperimentConfig config;
  config.cuda = {.staging = config::Staging::kPinned, .copies = config::Copies::kSideReuse};
  const train::Batch host{.inputs = torch::ones({2, 3}), .targets = torch::zeros({2, 1})};

  const train::Batch batch = make_staging(config, torch::kCPU)->to_device(host);

  EXPECT_TRUE(batch.inputs.is_same(host.inputs));
  EXPECT_TRUE(batch.targets.is_same(host.targets));
  EXPECT_EQ(batch.kept_bytes, 0U);
}

TEST(CudaStaging, ARingNeedsABuffer) {
  config::ExperimentConfig config;
  config.cuda = {.staging = config::Staging::kPinnedRing, .buffers = 0};

  EXPECT_THROW(static_cast<void>(make_staging(config, torch::kCUDA)), UsageError);
}

}  // namespace staging_test
}  // namespace runahead::cuda
