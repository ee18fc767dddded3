#include "core/cuda/device_hold.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>

#include "core/base/error.h"

namespace runahead::cuda {
namespace device_hold_test {

TEST(CudaHold, IsOfACudaDevice) {
  EXPECT_THROW(static_cast<void>(make_device_hold(torch::kCPU)), UsageError);
}

TEST(CudaHold, LastsSomeTimeAndNotForEver) {
  const auto hold = make_device_hold(torch::kCUDA);
  for (const double seconds : {0.0, -1.0, 3601.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(hold(seconds), UsageError) << seconds;
  }
}

}  // namespace device_hold_test
}  // namespace runahead::cuda
