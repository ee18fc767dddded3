#include "core/experiment/predict_experiment.h"

#include <ATen/core/grad_mode.h>

#include <ostream>
#include <string>
#include <utility>

#include "core/device/tensor_class.h"
#include "core/experiment/batch_report.h"
#include "core/experiment/find_factory.h"

namespace runahead::experiment {

using device::TensorClass;
using device::TensorClassScope;
using train::LoopPhase;

PredictExperiment::PredictExperiment(const ExperimentContext& context)
    : context_(context), meter_(context.device.back_end()) {
  const config::ExperimentConfig& config = context_.config;
  static_cast<void>(find_factory(context_.factories.models, config.model.kind, "/model/kind"));
  static_cast<void>(find_factory(context_.factories.sources, config.data.kind, "/data/kind"));
  context_.device.set_place(
      [this] { return "in batch " + std::to_string(meter_.counts().issued + 1); });
}

PredictExperiment::~PredictExperiment() { context_.device.set_place({}); }

void PredictExperiment::prepare(std::stop_token stop) {
  const config::ExperimentConfig& config = context_.config;
  const torch::Device device = context_.device.device();
  model_ = find_factory(context_.factories.models, config.model.kind, "/model/kind")(config);
  context_.device.place(model_->module());
  model_->module().eval();
  for (const torch::Tensor& parameter : model_->parameters()) {
    parameter_bytes_ += parameter.nbytes();
  }
  source_ = find_factory(context_.factories.sources, config.data.kind, "/data/kind")(
      config, device, context_.factories.staging(config, device));

  std::ostream silent(nullptr);  // The wait `print` waits as it will later, and prints nothing.
  const auto policy =
      train::make_sync_policy(config.sync, {.back_end = context_.device.back_end(),
                                            .sink = silent,
                                            .depth = context_.device.adaptive_depth(),
                                            .window = context_.device.adaptive_window()});
  train::BatchMeter meter(context_.device.back_end());
  run(config.warmup_batches, *policy, meter, stop);
  kept_.clear();
  kept_bytes_ = 0;
}

void PredictExperiment::issue(std::stop_token stop) {
  const auto policy = train::make_sync_policy(
      context_.config.sync,
      {.back_end = context_.device.back_end(),
       .sink = context_.sink,
       .depth = context_.device.adaptive_depth(),
       .window = context_.device.adaptive_window(),
       .on_notice = [this](const std::string& text) { context_.device.notice_budget(text); }});
  run(context_.config.batches, *policy, meter_, stop);
}

void PredictExperiment::run(std::int64_t batches, train::SyncPolicy& policy,
                            train::BatchMeter& meter, const std::stop_token& stop) {
  const torch::NoGradGuard no_grad;
  const bool keeps = context_.config.program.outputs == config::Outputs::kKept;
  for (std::int64_t i = 0; i < batches && !stop.stop_requested(); ++i) {
    enter(LoopPhase::kWaitBefore);
    policy.before_batch();
    enter(LoopPhase::kData);

    train::Batch batch = next_batch();
    enter(LoopPhase::kIssue);

    torch::Tensor outputs = predict(batch);
    const torch::Tensor first = outputs.view({-1}).select(0, 0);
    const std::uint64_t bytes = train::bytes_of(batch);
    const std::uint64_t kept_bytes = batch.kept_bytes;
    output_bytes_ = outputs.nbytes();
    if (keeps) {
      kept_bytes_ += outputs.nbytes();
      kept_.push_back(std::move(outputs));
    }
    meter.batch_issued(std::move(batch));
    enter(LoopPhase::kWaitAfter);

    policy.after_batch({.loss = first, .bytes = bytes, .kept_bytes = kept_bytes});
    enter(LoopPhase::kBatchEnd);
  }
}

train::Batch PredictExperiment::next_batch() {
  const TensorClassScope inputs(TensorClass::kInputs);
  return source_->next();
}

torch::Tensor PredictExperiment::predict(const train::Batch& batch) {
  const TensorClassScope activations(TensorClass::kActivations);
  return model_->forward(batch.inputs);
}

void PredictExperiment::enter(LoopPhase phase) const {
  const TimePoint now = Clock::now();
  for (train::LoopObserver* observer : context_.loop_observers) observer->on_phase(phase, now);
}

void PredictExperiment::report(record::Record& record, TimePoint started) const {
  report_batches({.meter = meter_,
                  .batch_size = context_.config.data.batch_size,
                  .own_bytes = parameter_bytes_,
                  .executes_at_issue = context_.device.executes_at_issue()},
                 started, record);
  record.results["predict"] = {{"output_bytes", output_bytes_.load()},
                               {"kept_bytes", kept_bytes_.load()}};
}

std::optional<train::BatchCounts> PredictExperiment::counts() const { return meter_.counts(); }

std::vector<std::unique_ptr<memory::Probe>> PredictExperiment::make_probes() const {
  std::vector<std::unique_ptr<memory::Probe>> probes;
  probes.push_back(meter_.make_probe());
  return probes;
}

}  // namespace runahead::experiment
