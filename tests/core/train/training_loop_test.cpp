#include "core/train/training_loop.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include "core/train/optimizer.h"
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

/// The same batch again and again. It writes down each call, and the references to its tensors.
class RepeatedSource final : public BatchSource {
 public:
  explicit RepeatedSource(std::vector<std::string>* calls) : calls_(calls) {}
  Batch next() override {
    if (calls_ != nullptr) calls_->push_back("next");
    input_references.push_back(batch_.inputs.use_count());
    target_references.push_back(batch_.targets.use_count());
    return batch_;
  }

  std::vector<std::size_t> input_references{};
  std::vector<std::size_t> target_references{};

 private:
  std::vector<std::string>* calls_;
  Batch batch_{.inputs = torch::tensor({{1.0F}, {2.0F}}),
               .targets = torch::tensor({{3.0F}, {6.0F}}),
               .kept_bytes = 5};
};

class RecordingWaiter final : public Waiter {
 public:
  explicit RecordingWaiter(std::vector<std::string>* calls) : calls_(calls) {}
  void before_batch() override { calls_->push_back("before"); }
  void after_batch(const IssuedBatch& batch) override {
    calls_->push_back("after");
    losses.push_back(*batch.loss);
    batches.push_back(batch);
  }

  std::vector<torch::Tensor> losses{};
  std::vector<IssuedBatch> batches{};

 private:
  std::vector<std::string>* calls_;
};

class RecordingObserver final : public LoopObserver {
 public:
  explicit RecordingObserver(std::vector<std::string>* calls) : calls_(calls) {}
  void on_phase(LoopPhase phase, TimePoint time) override {
    EXPECT_LE(last_, time);
    last_ = time;
    phases.push_back(phase);
  }
  void on_issued(const IssuedBatch&) override { calls_->push_back("issued"); }
  void after_wait(const IssuedBatch&) override { calls_->push_back("waited"); }

  std::vector<LoopPhase> phases{};

 private:
  std::vector<std::string>* calls_;
  TimePoint last_{};
};

class TrainingLoopTest : public ::testing::Test {
 protected:
  LoopTrace run(std::int64_t batches, std::stop_token stop = {}) {
    LoopTrace trace;
    loop_.run(batches, meter_, trace, std::move(stop));
    return trace;
  }

  std::vector<std::string> calls_{};
  LineModel model_{};
  std::unique_ptr<torch::optim::Optimizer> optimizer_ =
      make_optimizer({.learning_rate = 0.05}, model_.parameters());
  RepeatedSource source_{&calls_};
  RecordingWaiter waiter_{&calls_};
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

TEST_F(TrainingLoopTest, CallsItsObserversAtEachPhaseAndAroundTheWait) {
  RecordingObserver first(&calls_);
  RecordingObserver second(&calls_);
  TrainingLoop loop(model_, *optimizer_, make_loss(config::LossKind::kL2), source_, waiter_,
                    {&first, &second});
  LoopTrace trace;
  loop.run(2, meter_, trace);

  const std::vector<LoopPhase> batch{LoopPhase::kWaitBefore, LoopPhase::kData,
                                     LoopPhase::kIssue,      LoopPhase::kIssueBackward,
                                     LoopPhase::kWaitAfter,  LoopPhase::kBatchEnd};
  std::vector<LoopPhase> both = batch;
  both.insert(both.end(), batch.begin(), batch.end());
  EXPECT_EQ(first.phases, both);
  EXPECT_EQ(second.phases, both);
  EXPECT_EQ((std::vector<std::string>{calls_.begin(), calls_.begin() + 7}),
            (std::vector<std::string>{"before", "next", "issued", "issued", "after", "waited",
                                      "waited"}));
}

TEST(Optimizer, StateBytesAreTheTensorsThatItKeeps) {
  const std::vector<torch::Tensor> parameters{torch::zeros({3, 4}), torch::zeros({5})};
  const std::uint64_t bytes = 17 * sizeof(float);

  EXPECT_EQ(trained_state_bytes({.kind = config::OptimizerKind::kSgd}, parameters), bytes);
  EXPECT_EQ(trained_state_bytes({.kind = config::OptimizerKind::kSgd, .momentum = 0.9}, parameters),
            2 * bytes);
  EXPECT_EQ(trained_state_bytes({.kind = config::OptimizerKind::kAdam}, parameters), 3 * bytes);
  EXPECT_EQ(trained_state_bytes({.kind = config::OptimizerKind::kAdamW}, parameters), 3 * bytes);
}

}  // namespace training_loop_test
}  // namespace runahead::train
