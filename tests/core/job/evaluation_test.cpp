#include "core/job/evaluation.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/dropout.h>
#include <torch/types.h>

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

TEST(Evaluator, CountsExamplesAndNotBatches) {
  Identity model;
  std::vector<Evaluation> found;
  Evaluator evaluator(model, train::make_loss(config::LossKind::kCrossEntropy),
                      std::make_unique<FourExamples>(),
                      Evaluator::Options{.every = 1, .has_classes = true},
                      [&](const Evaluation& evaluation) { found.push_back(evaluation); });

  evaluator.evaluate();

  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].accuracy.value(), 0.75);
  EXPECT_NEAR(found[0].loss, 25.0, 1e-5) << "one of four examples is off by 100";
  EXPECT_TRUE(model.module().is_training()) << "again";
}

}  // namespace
}  // namespace runahead::job
