// The copies of `bench transfer`, to the devices that are there without a GPU.
#include "apps/cell/transfer_loop.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/device/device.h"

namespace runahead::cell {
namespace {

class TransferLoop : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { register_device(); }

  torch::Device device_{GetParam()};
  std::unique_ptr<train::BackEnd> back_end_ = train::make_back_end(device_);
};

TEST_P(TransferLoop, CopiesAndWaits) {
  const torch::Tensor source = torch::arange(1000, torch::kInt32);
  for (const bool is_blocking : {true, false}) {
    const torch::Tensor target = torch::zeros({1000}, source.options()).to(device_);

    const TransferFigures figures = measure_transfers(source, target, 3, is_blocking, *back_end_);

    EXPECT_TRUE(torch::equal(target.cpu(), source));
    EXPECT_GT(figures.gb_per_second, 0.0);
    EXPECT_GT(figures.issue_us, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, TransferLoop, ::testing::Values("cpu", "acpu"),
                         [](const auto& test) { return test.param; });

TEST(TransferSizes, AreFourTimesTheOneBefore) {
  for (std::size_t i = 1; i < kTransferSizes.size(); ++i) {
    EXPECT_EQ(kTransferSizes[i], 4 * kTransferSizes[i - 1]);
  }
}

TEST(TransferSizes, AreCopiedTogetherAsOftenAsAQueueTakes) {
  EXPECT_EQ(copies_of(kTransferSizes.front()), 256);
  EXPECT_EQ(copies_of(std::int64_t{4} << 20), 64);
  EXPECT_EQ(copies_of(kTransferSizes.back()), 4);
}

}  // namespace
}  // namespace runahead::cell
