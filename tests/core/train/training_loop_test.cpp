#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <cmath>
#include <new>
#include <sstream>

#include "core/base/error.h"
#include "core/device/device_fixture.h"
#include "core/engine/engine.h"
#include "core/train/failure.h"
#include "core/train/loss.h"
#include "core/train/loss_log.h"
#include "core/train/optimizer.h"
#include "core/train/training_loop.h"
#include "core/train/wait.h"
#include "support/fake_back_end.h"

namespace runahead::train {
namespace training_loop_test {

/// One weight: predictions = weight · inputs.
class LineModel final : public Model {
 public:
  torch::Tensor forward(const torch::Tensor& inputs) override { return linear_(inputs); }
  torch::nn::Module& module() override { return *linear_; }

 private:
  torch::nn::Linear linear_{torch::nn::LinearOptions(1, 1).bias(false)};
};

/// A batch of two examples, then one of a single example that keeps nothing.
class ShrinkingSource final : public BatchSource {
 public:
  Batch next() override {
    const std::int64_t size = is_first_ ? 2 : 1;
    const std::uint64_t kept_bytes = is_first_ ? 5 : 0;
    is_first_ = false;
    return {.inputs = torch::ones({size, 1}),
            .targets = torch::ones({size, 1}),
            .kept_bytes = kept_bytes};
  }

 private:
  bool is_first_ = true;
};

/// The same batch again and again. It writes down the references to its tensors.
class RepeatedSource final : public BatchSource {
 public:
  Batch next() override {
    input_references.push_back(batch_.inputs.use_count());
    target_references.push_back(batch_.targets.use_count());
    return batch_;
  }

  std::vector<std::size_t> input_references{};
  std::vector<std::size_t> target_references{};

 private:
  Batch batch_{.inputs = torch::tensor({{1.0F}, {2.0F}}),
               .targets = torch::tensor({{3.0F}, {6.0F}}),
               .kept_bytes = 5};
};

class RecordingWaiter final : public Waiter {
 public:
  void after_batch(const IssuedBatch& batch) override {
    losses.push_back(*batch.loss);
    batches.push_back(batch);
  }

  std::vector<torch::Tensor> losses{};
  std::vector<IssuedBatch> batches{};
};

class TrainingLoopTest : public ::testing::Test {
 protected:
  LoopTrace run(std::int64_t batches, std::stop_token stop = {}) {
    LoopTrace trace;
    loop_.run(batches, meter_, trace, std::move(stop));
    return trace;
  }

  LineModel model_{};
  std::unique_ptr<torch::optim::Optimizer> optimizer_ =
      make_optimizer({.learning_rate = 0.05}, model_.parameters());
  RepeatedSource source_{};
  RecordingWaiter waiter_{};
  test::FakeBackEnd back_end_{};
  BatchMeter meter_{back_end_};
  TrainingLoop loop_{model_, *optimizer_, make_loss(config::LossKind::kL2), source_, waiter_};
};

TEST_F(TrainingLoopTest, GivesThePolicyEachLossAndWhatItsBatchHasAndKeeps) {
  const LoopTrace trace = run(2);

  EXPECT_EQ(meter_.counts().in_flight, 2);
  EXPECT_EQ(meter_.counts().kept_bytes, 10U);
  EXPECT_EQ(trace.batch_bytes, 4 * sizeof(float));
  EXPECT_EQ(trace.batch_kept_bytes, 5U);
  EXPECT_EQ(waiter_.batches.at(1).kept_bytes, 5U);
  EXPECT_FALSE(trace.last_loss.requires_grad()) << "it holds no graph";
  EXPECT_EQ(trace.last_loss.dim(), 0);

  ASSERT_EQ(waiter_.batches.size(), 2U);
  EXPECT_TRUE(waiter_.losses[0].is_same(trace.first_loss));
  EXPECT_TRUE(waiter_.losses[1].is_same(trace.last_loss));
  EXPECT_EQ(waiter_.batches[1].bytes, 4 * sizeof(float)) << "two inputs, two targets";
}

TEST_F(TrainingLoopTest, KeepsNoReferenceToABatchAfterItsIssue) {
  run(3);

  EXPECT_EQ(source_.input_references, (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(source_.target_references, (std::vector<std::size_t>{1, 1, 1}));
}

TEST_F(TrainingLoopTest, NotesTheLargestBatchAndGivesThePolicyEachItsOwn) {
  ShrinkingSource source;
  TrainingLoop loop(model_, *optimizer_, make_loss(config::LossKind::kL2), source, waiter_);
  LoopTrace trace;
  loop.run(2, meter_, trace);

  EXPECT_EQ(trace.batch_bytes, 4 * sizeof(float));
  EXPECT_EQ(trace.batch_kept_bytes, 5U);
  EXPECT_EQ(waiter_.batches.at(1).bytes, 2 * sizeof(float));
  EXPECT_EQ(waiter_.batches.at(1).kept_bytes, 0U);
}

TEST(Optimizer, StateBytesAreTheTensorsThatItKeepsOfWhatItTrains) {
  const std::vector<torch::Tensor> parameters{torch::zeros({3, 4}).requires_grad_(),
                                              torch::zeros({5}).requires_grad_(),
                                              torch::zeros({100})};
  const std::uint64_t bytes = 17 * sizeof(float);
  const auto state_bytes = [&](const config::OptimizerConfig& config) {
    return optimizer_state_bytes(config, parameters);
  };

  EXPECT_EQ(state_bytes({.kind = config::OptimizerKind::kSgd}), 0U);
  EXPECT_EQ(state_bytes({.kind = config::OptimizerKind::kSgd, .momentum = 0.9}), bytes);
  EXPECT_EQ(state_bytes({.kind = config::OptimizerKind::kAdam}), 2 * bytes);
  EXPECT_EQ(state_bytes({.kind = config::OptimizerKind::kAdamW}), 2 * bytes);
}

using config::LossKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

double value_of(LossKind kind, const torch::Tensor& predictions, const torch::Tensor& targets) {
  return make_loss(kind)(predictions, targets).item<double>();
}

TEST(Loss, IsTheFormulaOfItsKind) {
  const torch::Tensor predictions = torch::tensor({{1.0F}, {2.0F}, {5.0F}});
  const torch::Tensor targets = torch::tensor({{1.0F}, {1.5F}, {2.0F}});

  EXPECT_NEAR(value_of(LossKind::kMse, predictions, targets), (0.25 + 9.0) / 3, 1e-6);
  EXPECT_NEAR(value_of(LossKind::kL2, predictions, targets), (0.25 + 9.0) / 6, 1e-6);
  EXPECT_NEAR(value_of(LossKind::kL1, predictions, targets), (0.5 + 3.0) / 3, 1e-6);
  EXPECT_NEAR(value_of(LossKind::kHuber, predictions, targets), (0.125 + 2.5) / 3, 1e-6);
}

TEST(Loss, CrossEntropyTakesClassIndices) {
  const torch::Tensor logits = torch::tensor({{0.0F, 0.0F}, {std::log(3.0F), 0.0F}});
  const torch::Tensor classes = torch::tensor({0, 1}, torch::kInt64);

  EXPECT_NEAR(value_of(LossKind::kCrossEntropy, logits, classes),
              (std::log(2.0) + std::log(4.0)) / 2, 1e-6);
}

class LossLogOnDevice : public device::DeviceTest {};

TEST_F(LossLogOnDevice, WaitsForNothingUntilItReads) {
  std::vector<double> means;
  LossLog log(3, [&means](const std::vector<double>& read) { means = read; });
  const torch::Tensor loss = torch::ones({}, acpu_);
  const auto add = [&log](const torch::Tensor& of_batch) { log.after_wait({.loss = &of_batch}); };
  device::synchronize();
  device::WorkerGate gate;

  add(loss + 1);
  add(loss + 2);
  EXPECT_GE(device::backlog().operations, 3U) << "the gate and two additions";
  EXPECT_THAT(means, IsEmpty());
  gate.open();
  add(loss + 3);

  EXPECT_THAT(means, ElementsAre(3.0));
}

// What each wait does, seen by a back end that counts what is asked of it.

struct WaitCase {
  WaitKind kind{};
  int waits_until_computed = 0;
  int synchronizations = 0;
  const char* printed = "";
};

TEST(Wait, AsksTheBackEndForWhatItsKindSaysAndNothingElse) {
  for (const WaitCase& wanted :
       {WaitCase{WaitKind::kLossValue}, WaitCase{WaitKind::kLossReady, 1},
        WaitCase{WaitKind::kHostCopy}, WaitCase{WaitKind::kPrint, 0, 0, "loss 0.25\n"},
        WaitCase{WaitKind::kSave}, WaitCase{WaitKind::kAll, 0, 1}}) {
    SCOPED_TRACE(name_of(wanted.kind));
    test::FakeBackEnd back_end;
    std::ostringstream sink;
    const torch::Tensor loss = torch::tensor(0.25);

    make_policy_context(back_end, sink).make_wait(wanted.kind)({.loss = &loss});

    EXPECT_EQ(back_end.waits_until_computed, wanted.waits_until_computed);
    EXPECT_EQ(back_end.synchronizations, wanted.synchronizations);
    EXPECT_EQ(sink.str(), wanted.printed);
  }
}

using record::Status;

template <typename Exception>
Failure failure_of(const Exception& exception) {
  return describe_failure(std::make_exception_ptr(exception));
}

Failure failure_of_libtorch(const char* text) {
  try {
    TORCH_CHECK(false, text);
  } catch (...) {
    return describe_failure(std::current_exception());
  }
}

TEST(Failure, IsOutOfMemoryWhereMemoryWasTheCauseElseNamesItsOperation) {
  const auto of_mm = [](const auto& cause) {
    return engine::OperationError("aten::mm", std::make_exception_ptr(cause), "the cause");
  };
  for (const Failure& failure :
       {failure_of(std::bad_alloc()), failure_of(OutOfMemoryError("full")),
        failure_of(of_mm(std::bad_alloc())), failure_of_libtorch("CUDA error: out of memory"),
        failure_of_libtorch("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate")}) {
    EXPECT_EQ(failure.status, Status::kOutOfMemory) << failure.message;
  }
  for (const Failure& failure : {failure_of(std::runtime_error("broken")), failure_of(7),
                                 failure_of_libtorch("CUDA error: invalid argument")}) {
    EXPECT_EQ(failure.status, Status::kFailed) << failure.message;
  }
  const Failure broken = failure_of(of_mm(std::runtime_error("x")));
  EXPECT_EQ(broken.status, Status::kFailed);
  EXPECT_THAT(broken.message, ::testing::HasSubstr("aten::mm' failed: the cause"));
}

}  // namespace training_loop_test
}  // namespace runahead::train
