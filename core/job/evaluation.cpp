#include "core/job/evaluation.h"

#include <ATen/core/grad_mode.h>

#include <utility>

#include "core/base/error.h"

namespace runahead::job {
namespace {

/// Keeps a module in evaluation mode for the scope.
class EvaluationMode {
 public:
  explicit EvaluationMode(torch::nn::Module& module) : module_(module) { module_.eval(); }
  ~EvaluationMode() { module_.train(); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  torch::nn::Module& module_;
};

/// Sums over the examples so far.
struct Sums {
  double examples = 0.0;
  double loss = 0.0;
  double right = 0.0;
};

}  // namespace

Evaluator::Evaluator(train::Model& model, train::Loss loss,
                     std::unique_ptr<train::BatchSource> examples, const Options& options,
                     OnEvaluation on_evaluation)
    : model_(model),
      loss_(std::move(loss)),
      examples_(std::move(examples)),
      options_(options),
      on_evaluation_(std::move(on_evaluation)) {
  RUNAHEAD_REQUIRE(examples_ != nullptr && examples_->batches_in_epoch(),
                   "an evaluation takes one epoch of its source");
}

void Evaluator::after_wait(const train::IssuedBatch& /*batch*/) {
  ++batches_;
  if (options_.every > 0 && batches_ % options_.every == 0) evaluate();
}

void Evaluator::evaluate() {
  if (evaluated_at_ == batches_) return;
  const torch::NoGradGuard no_grad;
  const EvaluationMode mode(model_.module());
  Sums sums;
  for (std::int64_t left = *examples_->batches_in_epoch(); left > 0; --left) {
    const train::Batch batch = examples_->next();
    const torch::Tensor outputs = model_.forward(batch.inputs);
    const auto size = static_cast<double>(batch.inputs.size(0));
    sums.examples += size;
    sums.loss += size * loss_(outputs, batch.targets).item().toDouble();
    if (!options_.has_classes) continue;
    sums.right += outputs.argmax(1).eq(batch.targets).sum().item().toDouble();
  }
  evaluated_at_ = batches_;
  Evaluation evaluation{.batches = batches_, .loss = sums.loss / sums.examples};
  if (options_.has_classes) evaluation.accuracy = sums.right / sums.examples;
  on_evaluation_(evaluation);
}

}  // namespace runahead::job
