#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/train/batch_source.h"
#include "core/train/loop_observer.h"
#include "core/train/loss.h"
#include "core/train/model.h"

namespace runahead::job {

/// The performance of a model on examples that it is not trained on.
struct Evaluation {
  std::int64_t batches = 0;          ///< Measured batches that it had been trained on.
  double loss = 0.0;                 ///< Mean over the examples.
  std::optional<double> accuracy{};  ///< Share of correct classes; nullopt if targets are values.
};

/// Evaluates the model of a loop every `every` batches on all examples of a source, without
/// gradients and with the module in evaluation mode. Waits for each batch.
class Evaluator final : public train::LoopObserver {
 public:
  struct Options {
    std::int64_t every = 0;    ///< Batches; 0: only when evaluate() is called.
    bool has_classes = false;  ///< Whether targets are classes, and outputs their logits.
  };
  /// Called on the front end's thread.
  using OnEvaluation = std::function<void(const Evaluation&)>;

  /// @param model  Must outlive this object. @param examples  Batches of one epoch, in any order.
  /// @throws UsageError unless `examples` has epochs.
  Evaluator(train::Model& model, train::Loss loss, std::unique_ptr<train::BatchSource> examples,
            const Options& options, OnEvaluation on_evaluation);

  /// Notes that `batches` batches were trained before the loop.
  void start_at(std::int64_t batches) { batches_ = batches; }

  void after_wait(const train::IssuedBatch& batch) override;

  /// Evaluates now, unless already done after the same batch. Blocks until it is computed.
  void evaluate();

 private:
  train::Model& model_;
  train::Loss loss_;
  std::unique_ptr<train::BatchSource> examples_;
  Options options_;
  OnEvaluation on_evaluation_;
  std::int64_t batches_ = 0;
  std::optional<std::int64_t> evaluated_at_{};
};

}  // namespace runahead::job
