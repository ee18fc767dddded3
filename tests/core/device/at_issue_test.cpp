#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/rnn.h>
#include <torch/types.h>

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.h"
#include "core/device/device_fixture.h"
#include "core/device/dispatch/operands_text.h"
#include "core/engine/observer.h"

namespace runahead::device {
namespace at_issue_test {

// Settings of LibTorch that kernels look at while they run: what counts is how they were at issue.

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

// Errors: what can be known at the call is thrown there; a kernel's failure is thrown by reads of
// what it spoiled, with the operator's name, until that is overwritten.

using Errors = DeviceTest;

TEST_F(Errors, SpoiledTensorStaysSpoiledUntilItIsOverwrittenWhole) {
  at::Tensor x = torch::ones({4}, acpu_);
  x.index_add_(0, torch::tensor({1}, x.options().dtype(torch::kLong)), torch::ones({1}, acpu_));
  x.index_add_(0, torch::tensor({100}, x.options().dtype(torch::kLong)), torch::ones({1}, acpu_));

  EXPECT_THROW((void)x.cpu(), engine::OperationError);
  x.slice(0, 0, 2).fill_(1);
  EXPECT_THROW((void)x.cpu(), engine::OperationError);
  x.fill_(2);

  EXPECT_TRUE(is_bit_equal(x, torch::full({4}, 2.0F)));
}

TEST_F(Errors, SettingsOutOfRangeAreRefused) {
  EXPECT_THROW(configure({.intra_op_threads = 1'000'000}), UsageError);
  EXPECT_THROW(configure({.wait_hooks = {.after = [](void*) noexcept {}}}), UsageError);
  EXPECT_THROW(configure({.allocation = Allocation::kCaching, .freed_memory = FreedMemory::kKept}),
               UsageError);
  EXPECT_THROW(hold_workers(0.0), UsageError);
  configure({.workers = 0});
  EXPECT_THROW(hold_workers(1.0), UsageError);
}

TEST_F(Errors, FinishIsRefusedInTheBodyOfAnOperationAndLeavesTheDeviceAsItWas) {
  const auto limit = options().limit->operations;
  std::promise<bool> is_refused;
  Runtime::get().push({.name = "finishes", .body = [&is_refused] {
                         try {
                           finish();
                           is_refused.set_value(false);
                         } catch (const UsageError&) {
                           is_refused.set_value(true);
                         }
                       }});

  EXPECT_TRUE(is_refused.get_future().get());
  synchronize();
  EXPECT_FALSE(Runtime::get().is_finished());
  EXPECT_EQ(options().limit->operations, limit);
}

TEST_F(Errors, NonBlockingCopiesFailIfTheirSourceBecomesTooSmall) {
  configure({.host_copies = HostCopies::kKeep});
  WorkerGate gate;
  at::Tensor source = torch::ones({1000});
  at::Tensor target = torch::zeros({1000}, acpu_);
  target.copy_(source, /*non_blocking=*/true);
  source.storage().unsafeGetStorageImpl()->set_nbytes(16);
  gate.open();

  EXPECT_THROW((void)target.cpu(), engine::OperationError);
  synchronize();
  EXPECT_EQ(memory_stats().held_bytes, 0U);
}

// What operations say of themselves to an observer of the engine that asks: a trace does.

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Asks every operation before it runs, except for the events of waits.
class AskingObserver final : public engine::Observer {
 public:
  void on_start(const engine::OperationEvent& event) noexcept override {
    if (event.name == std::string_view("event")) return;
    std::array<char, 200> text{};
    const std::size_t length = event.body->describe(text);
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::string(event.name) + ": " + std::string(text.data(), length));
  }
  std::vector<std::string> answers() {
    const std::lock_guard lock(mutex_);
    return answers_;
  }

 private:
  std::mutex mutex_{};
  std::vector<std::string> answers_{};
};

class DescriptionTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    x_ = torch::ones({2, 3}).to(acpu_);
    configure({.observer = &observer_});
  }
  std::vector<std::string> answers() {
    synchronize();
    return observer_.answers();
  }

  AskingObserver observer_{};
  torch::Tensor x_{};
};

TEST_F(DescriptionTest, CallsNameTypesAndShapesWhateverTheirKind) {
  at::globalContext().setFlushDenormal(true);
  const torch::Tensor in_another_float_mode = x_ + x_;
  at::globalContext().setFlushDenormal(false);
  const torch::Tensor hot = x_ + x_;
  const std::string sum = "aten::add.Tensor: Float[2, 3], Float[2, 3]";
  EXPECT_THAT(answers(), ElementsAre(sum, sum));

  const torch::Tensor other = torch::cumsum(x_, 1);
  EXPECT_THAT(answers().back(), AllOf(HasSubstr("aten::cumsum"), HasSubstr("Float[2, 3]")));
  torch::Tensor copied = torch::empty({2, 3}, torch::kDouble).to(acpu_);
  copied.copy_(x_);
  EXPECT_EQ(answers().back(), "copy_: Double[2, 3], Float[2, 3]");
}

TEST_F(DescriptionTest, EndsWithDotsWhereItDoesNotFit) {
  const Operand operand = Operand::of(x_);
  const auto text_of = [&](std::size_t room) {
    std::string text(room, '?');
    text.resize(write_operands({&operand, &operand}, text));
    return text;
  };
  EXPECT_EQ(text_of(24), "Float[2, 3], Float[2, 3]");
  EXPECT_EQ(text_of(16), "Float[2, 3], ...");
  EXPECT_EQ(text_of(8), "Float...");
  EXPECT_LE(text_of(2).size(), 2U);
}

}  // namespace at_issue_test
}  // namespace runahead::device
