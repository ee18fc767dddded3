// Issuing without waiting: which calls return at once, what is counted as blocking, limits, marks
// and events.
#include <c10/core/Event.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace {

using Issue = DeviceTest;

TEST_F(Issue, ReturnsWhileTheWorkerIsHeld) {
  WorkerGate gate;
  at::Tensor x = torch::ones({8, 8}, acpu_);
  for (int i = 0; i < 100; ++i) x = (x.mm(x) * 0.125).relu();

  EXPECT_GE(backlog().operations, 300U);
  EXPECT_EQ(x.sizes(), at::IntArrayRef({8, 8}));

  gate.open();
  EXPECT_EQ(x.sum().item<float>(), 64.0F);
  EXPECT_TRUE(blocking_operators().empty());
}

TEST_F(Issue, CountsOperatorsWhoseShapeDependsOnValues) {
  const at::Tensor x = torch::tensor({1.0F, 0.0F, 2.0F}).to(acpu_);

  EXPECT_EQ(x.nonzero().size(0), 2);
  EXPECT_EQ(x.nonzero().size(0), 2);

  EXPECT_EQ(blocking_operators(), (std::map<std::string, std::uint64_t>{{"aten::nonzero", 2}}));
}

TEST_F(Issue, LearnsAShapeFromTheFirstCallOfASignature) {
  const at::Tensor x = torch::randn({4, 6}).to(acpu_);
  const at::Tensor index = torch::tensor({1, 2}).to(acpu_);
  (void)x.index_select(0, index);
  reset_peaks();

  const at::Tensor selected = x.index_select(0, index);

  EXPECT_TRUE(blocking_operators().empty());
  EXPECT_EQ(selected.sizes(), at::IntArrayRef({2, 6}));
}

TEST_F(Issue, MlpStepBlocksNowhere) {
  torch::nn::Sequential model(torch::nn::Linear(8, 16), torch::nn::ReLU(),
                              torch::nn::Linear(16, 1));
  place(*model, "acpu");
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  WorkerGate gate;

  const at::Tensor input = torch::randn({4, 8}).to(acpu_);
  optimizer.zero_grad();
  (0.5 * torch::mse_loss(model->forward(input), torch::ones({4, 1}, acpu_))).backward();
  optimizer.step();

  EXPECT_TRUE(blocking_operators().empty());
  gate.open();
}

TEST_F(Issue, LimitOfOperationsHoldsTheFrontEnd) {
  set_limit({.operations = 4});
  reset_peaks();
  at::Tensor x = torch::ones({16}, acpu_);
  for (int i = 0; i < 200; ++i) x = x + 1;

  EXPECT_EQ(x[0].item<float>(), 201.0F);
  EXPECT_LE(backlog().operations_peak, 4U);
}

TEST_F(Issue, MarkFinishesAfterEverythingIssuedBefore) {
  WorkerGate gate;
  const at::Tensor x = torch::ones({4}, acpu_) + 1;
  const engine::Marker marker = mark();
  EXPECT_FALSE(marker.is_finished());

  gate.open();
  marker.wait();

  EXPECT_TRUE(marker.is_finished());
  EXPECT_TRUE(marker.finished_at().has_value());
}

TEST_F(Issue, EventsFollowTheStream) {
  WorkerGate gate;
  const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
  const c10::Stream stream = guard.getStream(acpu_);
  c10::Event event(at::kPrivateUse1);
  const at::Tensor x = torch::ones({4}, acpu_) + 1;
  event.record(stream);
  EXPECT_FALSE(event.query());
  EXPECT_FALSE(stream.query());

  gate.open();
  event.synchronize();

  EXPECT_TRUE(event.query());
  stream.synchronize();
  EXPECT_TRUE(stream.query());
}

TEST_F(Issue, AcceleratorStatisticsComeFromTheLedger) {
  const auto before = c10::getDeviceAllocator(at::kPrivateUse1)->getDeviceStats(0);
  const at::Tensor x = torch::ones({1000}).to(acpu_);

  const auto after = c10::getDeviceAllocator(at::kPrivateUse1)->getDeviceStats(0);

  EXPECT_EQ(after.allocated_bytes[0].current - before.allocated_bytes[0].current, 4000);
}

TEST_F(Issue, RegisteringTwiceIsHarmless) { EXPECT_NO_THROW(register_device()); }

}  // namespace
}  // namespace runahead::device
