#include "core/job/evaluation.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/dropout.h>
#include <torch/types.h>

#include "core/base/error.h"

namespace runahead::job {
namespace {

/// Gives its inputs as logits, through a dropout that an evaluation must leave out.
class Identity final : public train::Model {
 public:
  torch::Tensor forward(const torch::Tensor& inputs) override { return dropout_->forward(inputs); }
  torch::nn::Module& module() override { return *dropout_; }

 private:
  torch::nn::Dropout dropout_{0.9};
};

/// Two batches, of three examples and of one: three of the four classes are right.
class FourExamples final : public train::BatchSource {
 public:
  train::Batch next() override {
    const torch::Tensor logits = torch::eye(4).mul(100);
    const bool is_first = asked_++ % 2 == 0;
    const auto rows = is_first ? torch::indexing::Slice(0, 3) : torch::indexing::Slice(3, 4);
    return {.inputs = logits.index({rows}), .targets = torch::tensor({0, 1, 0, 3}).index({rows})};
  }
  [[nodiscard]] std::optional<std::int64_t> batches_in_epoch() const override { return 2; }

 private:
  int asked_ = 0;
};

class EvaluatorTest : public ::testing::Test {
 protected:
  std::unique_ptr<Evaluator> make(std::int64_t every) {
    return std::make_unique<Evaluator>(
        model_, train::make_loss(config::LossKind::kCrossEntropy), std::make_unique<FourExamples>(),
        Evaluator::Options{.every = every, .has_classes = true},
        [this](const Evaluation& evaluation) { found_.push_back(evaluation); });
  }

  Identity model_{};
  std::vector<Evaluation> found_{};
};

TEST_F(EvaluatorTest, CountsExamplesAndNotBatches) {
  make(1)->evaluate();

  ASSERT_EQ(found_.size(), 1U);
  EXPECT_DOUBLE_EQ(found_[0].accuracy.value(), 0.75);
  EXPECT_NEAR(found_[0].loss, 25.0, 1e-5) << "one of four examples is off by 100";
  EXPECT_TRUE(model_.module().is_training()) << "again";
}

TEST_F(EvaluatorTest, EvaluatesEverySoManyBatchesAndOnceAtTheEnd) {
  const auto evaluator = make(2);
  const torch::Tensor loss = torch::zeros({});
  evaluator->start_at(3);
  for (int i = 0; i < 4; ++i) evaluator->after_wait({.loss = &loss});
  evaluator->evaluate();
  evaluator->evaluate();

  std::vector<std::int64_t> batches;
  for (const Evaluation& evaluation : found_) batches.push_back(evaluation.batches);
  EXPECT_EQ(batches, (std::vector<std::int64_t>{4, 6, 7}));
}

}  // namespace
}  // namespace runahead::job
