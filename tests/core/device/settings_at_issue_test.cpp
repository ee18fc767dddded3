// Settings of LibTorch that kernels look at while they run: what counts is how they were at issue.
#include <ATen/Context.h>
#include <torch/nn/modules/rnn.h>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace settings_at_issue_test {

using at::Tensor;

class SettingsAtIssue : public DeviceTest {
 protected:
  void SetUp() override {
    if (!at::globalContext().setFlushDenormal(false)) can_flush_ = false;
    DeviceTest::SetUp();
  }
  void TearDown() override {
    at::globalContext().setFlushDenormal(false);
    set_default_dtype(at::kFloat);
    DeviceTest::TearDown();
  }

  static void set_default_dtype(at::ScalarType dtype) {
    torch::set_default_dtype(c10::scalarTypeToTypeMeta(dtype));
  }
  static void flush_subnormals(bool flushes) { at::globalContext().setFlushDenormal(flushes); }

  bool can_flush_ = true;
  static constexpr float kSubnormal = 1e-40F;
};

TEST_F(SettingsAtIssue, SubnormalNumbersAreFlushedByOperationsIssuedSo) {
  if (!can_flush_) GTEST_SKIP() << "this processor does not flush subnormal numbers";
  const Tensor x = torch::full({5}, kSubnormal).to(acpu_);
  Tensor flushed;
  Tensor flushed_in_general;
  Tensor kept;
  {
    WorkerGate gate;
    flush_subnormals(true);
    flushed = x * 2;
    flushed_in_general = x.expand({3, 5}) * 2;
    flush_subnormals(false);
    kept = x * 2;
  }

  EXPECT_TRUE(is_bit_equal(flushed, torch::zeros({5})));
  EXPECT_TRUE(is_bit_equal(flushed_in_general, torch::zeros({3, 5})));
  EXPECT_TRUE(is_bit_equal(kept, torch::full({5}, kSubnormal) * 2));
}

TEST_F(SettingsAtIssue, BackwardFlushesAsItsCallerDoes) {
  if (!can_flush_) GTEST_SKIP() << "this processor does not flush subnormal numbers";
  const auto gradient_of = [](const Tensor& values, bool flushes) {
    const Tensor x = values.detach().clone().requires_grad_();
    flush_subnormals(flushes);
    (x * 1e-20F * 1e-20F).sum().backward();
    flush_subnormals(false);
    return x.grad();
  };
  const Tensor host = torch::ones({5});
  const Tensor device = host.to(acpu_);

  for (const bool flushes : {false, true, false}) {
    EXPECT_TRUE(is_bit_equal(gradient_of(device, flushes), gradient_of(host, flushes))) << flushes;
  }
}

TEST_F(SettingsAtIssue, WorkersStartedByAFlushingThreadKeepSubnormalNumbers) {
  flush_subnormals(true);
  configure({.workers = 2});
  flush_subnormals(false);
  const Tensor x = torch::full({5}, kSubnormal);

  EXPECT_TRUE(is_bit_equal(x.to(acpu_) * 2, x * 2));
}

std::vector<Tensor> floating_point_of_integers(const Tensor& x) {
  return {x.sin(),
          x * 0.1,
          x / 3,
          torch::where(x > 1, x, 0.1),
          x.clamp(0.1, 2.1),
          x + c10::complex<double>(0.1, 0.3),
          (x > 1) / 3,
          torch::arange(0.0, 1.0, 0.1, x.device()),
          torch::full({3}, 0.1, x.device()),
          torch::linspace(0, 1, 7, x.device())};
}

TEST_F(SettingsAtIssue, IntegersArePromotedToTheDefaultDtypeOfIssue) {
  const Tensor host = torch::arange(5);
  const Tensor device = host.to(acpu_);
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
    const at::ScalarType other = dtype == at::kDouble ? at::kFloat : at::kDouble;
    set_default_dtype(dtype);
    const auto expected = floating_point_of_integers(host);
    (void)floating_point_of_integers(device);  // The second calls do not wait for layouts.
    synchronize();
    std::vector<Tensor> actual;
    {
      WorkerGate gate;
      actual = floating_point_of_integers(device);
      set_default_dtype(other);
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(is_bit_equal(actual[i], expected[i])) << i;
    }
  }
}

TEST_F(SettingsAtIssue, HostOperandsAndMetadataAreTakenAtIssue) {
  Tensor scalar = torch::tensor(2.0F);
  Tensor x = torch::arange(6, torch::kFloat).to(acpu_);
  Tensor sum;
  {
    WorkerGate gate;
    sum = x + scalar;
    scalar.fill_(100);
    x.resize_({2, 2});
    x = x.t();
  }
  EXPECT_TRUE(is_bit_equal(sum, torch::arange(6, torch::kFloat) + 2));
}

}  // namespace settings_at_issue_test
}  // namespace runahead::device
