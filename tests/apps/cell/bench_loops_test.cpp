// The workloads of `bench dispatch`: that they do what they are named for, and how they are
// counted. And the copies of `bench transfer`, to the devices that are there without a GPU.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>
#include <numeric>

#include "apps/cell/dispatch_loop.h"
#include "apps/cell/dispatch_mlp_step.h"
#include "apps/cell/transfer_loop.h"
#include "core/device/device.h"

namespace runahead::cell {
namespace {

class BenchLoops : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() { register_device(); }
  ~BenchLoops() override { device::configure({}); }

  torch::Device device_{GetParam()};
  std::unique_ptr<train::BackEnd> back_end_ = train::make_back_end(device_);
};

TEST_P(BenchLoops, LoopsComputeWhatTheyAreNamedFor) {
  const std::map<std::string, double> third_result{
      {"plus_one", 2.0}, {"chained", 4.0}, {"inplace", 4.0}, {"matmul64", 1.0 / 64}};
  for (const OperatorLoop& loop : make_operator_loops(device_)) {
    SCOPED_TRACE(loop.name);
    loop.issue();
    loop.issue();
    const torch::Tensor& result = loop.issue();

    EXPECT_EQ(result.device().type(), device_.type());
    EXPECT_EQ(result[0][0].item().toDouble(), third_result.at(loop.name));
  }
}

TEST_P(BenchLoops, MeasuresWhatALoopSays) {
  std::int64_t calls = 0;
  const torch::Tensor x = torch::ones({1}, device_);
  const OperatorLoop loop{"count", 50, [&]() -> const torch::Tensor& {
                            ++calls;
                            return x;
                          }};
  const LoopFigures figures = measure(loop, *back_end_);

  EXPECT_EQ(calls, 5 + 50 + 50);
  EXPECT_GE(figures.total_us, figures.issue_us);
}

TEST_P(BenchLoops, PartsOfAStepMakeUpItsIssue) {
  MlpStep step(device_);
  const StepFigures figures = measure(step, 10, *back_end_);

  EXPECT_NEAR(std::accumulate(figures.part_issue_us.begin(), figures.part_issue_us.end(), 0.0),
              figures.issue_us, 1e-6 * figures.issue_us);
  EXPECT_GT(figures.front_end_cpu_share, 0.0) << "a step may be disturbed, too";
  EXPECT_GT(measure_backward_hop(device_).front_end_cpu_share, 0.0);
}

TEST(DispatchOperations, AreCountedByPart) {
  register_device();
  MlpStep step(torch::Device("acpu"));
  EXPECT_THAT(count_operations(step), ::testing::ElementsAre(5, 9, 4));
}

TEST_P(BenchLoops, TransfersCopyAndWait) {
  const torch::Tensor source = torch::arange(1000, torch::kInt32);
  for (const bool is_blocking : {true, false}) {
    const torch::Tensor target = torch::zeros({1000}, source.options()).to(device_);

    const TransferFigures figures = measure_transfers(source, target, 3, is_blocking, *back_end_);

    EXPECT_TRUE(torch::equal(target.cpu(), source));
    EXPECT_GT(figures.gb_per_second, 0.0);
    EXPECT_GT(figures.issue_us, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, BenchLoops, ::testing::Values("cpu", "acpu"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace runahead::cell
