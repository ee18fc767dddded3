#include "core/experiment/batch_experiment.h"

#include <ostream>
#include <string>
#include <utility>

#include "core/experiment/factories.h"
#include "core/train/prefetch_source.h"

namespace runahead::experiment {

BatchExperiment::BatchExperiment(const ExperimentContext& context)
    : context_(context),
      batches_(context.config.batches),
      batch_size_(static_cast<double>(context.config.data.batch_size)),
      meter_(context.device.back_end()) {
  const config::ExperimentConfig& config = context_.config;
  static_cast<void>(find_factory(context_.factories.models, config.model.kind, "/model/kind"));
  static_cast<void>(find_factory(context_.factories.sources, config.data.kind, "/data/kind"));
  context_.device.set_place([this] {
    if (!is_issuing_) return std::string("outside the loop");
    return "in batch " + std::to_string(meter_.counts().issued + 1);
  });
}

BatchExperiment::~BatchExperiment() { context_.device.set_place({}); }

void BatchExperiment::make_parts() {
  const config::ExperimentConfig& config = context_.config;
  model_ = find_factory(context_.factories.models, config.model.kind, "/model/kind")(config);
  context_.device.place(model_->module());
  source_ = context_.make_source(config);
}

void BatchExperiment::start_at(std::int64_t batch) {
  source_->start_at(batch);
  batches_ = context_.config.batches - batch;
}

void BatchExperiment::warm_up(std::vector<train::LoopObserver*> observers, std::stop_token stop) {
  std::ostream silent(nullptr);
  const auto waiter = context_.config.sync->start(context_.device.policy_context(silent, {}));
  observers.insert(observers.end(), context_.loop_observers.begin(), context_.loop_observers.end());
  train::BatchMeter meter(context_.device.back_end());
  train::LoopTrace trace;
  make_loop(*source_, *waiter, std::move(observers))
      ->run(context_.config.warmup_batches, meter, trace, std::move(stop));
}

void BatchExperiment::run_measured(std::vector<train::LoopObserver*> observers,
                                   std::stop_token stop) {
  const config::ExperimentConfig& config = context_.config;
  const auto waiter = config.sync->start(context_.device.policy_context(
      context_.sink, [this](const std::string& text) { context_.device.notice_budget(text); }));
  observers.insert(observers.end(), context_.loop_observers.begin(), context_.loop_observers.end());
  const std::int64_t batches = batches_;
  is_issuing_ = true;
  std::optional<train::PrefetchSource> prefetch;
  if (config.data.prefetch > 0) {
    const auto ahead = static_cast<std::size_t>(config.data.prefetch);
    prefetch.emplace(*source_, train::PrefetchOptions{.ahead = ahead, .batches = batches});
  }
  train::BatchSource& source = prefetch ? static_cast<train::BatchSource&>(*prefetch) : *source_;
  make_loop(source, *waiter, std::move(observers))->run(batches, meter_, trace_, std::move(stop));
  is_issuing_ = false;
  if (const auto mean = trace_.mean_batch_size()) batch_size_ = *mean;
}

std::vector<std::unique_ptr<memory::Probe>> BatchExperiment::make_probes() const {
  std::vector<std::unique_ptr<memory::Probe>> probes;
  probes.push_back(meter_.make_probe());
  return probes;
}

}  // namespace runahead::experiment
