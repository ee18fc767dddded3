#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/device/storage/tensor_class.h"
#include "core/experiment/batch_experiment.h"
#include "core/recording/batch_report.h"

namespace runahead::experiment {
namespace {

/// `predict`: runs only the forward pass of the config's model, for `batches` batches under its
/// sync policy. The program drops the outputs or keeps them to the end. A policy waits for the
/// first output of a batch instead of a loss.
class PredictExperiment final : public BatchExperiment {
 public:
  using BatchExperiment::BatchExperiment;

  void prepare(std::stop_token stop) override {
    make_parts();
    model().module().eval();
    model_bytes_ = model().bytes();
    const torch::NoGradGuard no_grad;
    warm_up({}, std::move(stop));
    kept_.clear();
    kept_bytes_ = 0;
  }

  void issue(std::stop_token stop) override {
    const torch::NoGradGuard no_grad;
    run_measured({}, std::move(stop));
  }

  void read_results() override {}
  void report(record::Record& record, TimePoint started) const override {
    recording::report_batches({.batches = meter().counter(),
                               .batch_size = batch_size(),
                               .own_bytes = model_bytes_,
                               .executes_at_issue = context().device.executes_at_issue()},
                              started, record);
    record.results["predict"] = {{"output_bytes", output_bytes_.load()},
                                 {"kept_bytes", kept_bytes_.load()}};
  }

 private:
  /// Issues the forward pass of each batch.
  class Loop final : public train::BatchLoop {
   public:
    Loop(PredictExperiment& experiment, train::BatchSource& source, train::Waiter& waiter,
         std::vector<train::LoopObserver*> observers)
        : BatchLoop(source, waiter, std::move(observers)), experiment_(experiment) {}

   private:
    [[nodiscard]] torch::Tensor issue(const train::Batch& batch) override {
      torch::Tensor outputs = forward(batch);
      torch::Tensor first = outputs;
      while (first.dim() > 0) first = first.select(0, 0);  // Outputs may have any strides.
      experiment_.output_bytes_ = outputs.nbytes();
      if (experiment_.context().config.program.outputs == config::Outputs::kKept) {
        experiment_.kept_bytes_ += outputs.nbytes();
        experiment_.kept_.push_back(std::move(outputs));
      }
      return first;
    }

    [[nodiscard]] torch::Tensor forward(const train::Batch& batch) {
      const device::TensorClassScope activations(device::TensorClass::kActivations);
      return experiment_.model().forward(batch.inputs);
    }

    PredictExperiment& experiment_;
  };

  [[nodiscard]] std::unique_ptr<train::BatchLoop> make_loop(
      train::BatchSource& source, train::Waiter& waiter,
      std::vector<train::LoopObserver*> observers) override {
    return std::make_unique<Loop>(*this, source, waiter, std::move(observers));
  }

  std::vector<torch::Tensor> kept_{};
  std::atomic<std::uint64_t> model_bytes_{0};
  std::atomic<std::uint64_t> output_bytes_{0};  ///< Of one batch.
  std::atomic<std::uint64_t> kept_bytes_{0};
};

}  // namespace

std::unique_ptr<Experiment> make_predict(const ExperimentContext& context) {
  return std::make_unique<PredictExperiment>(context);
}

}  // namespace runahead::experiment
