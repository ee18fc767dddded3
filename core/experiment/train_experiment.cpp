#include "core/experiment/train_experiment.h"

#include <algorithm>
#include <exception>
#include <ostream>
#include <string>
#include <utility>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/experiment/batch_report.h"
#include "core/experiment/cost_report.h"
#include "core/experiment/find_factory.h"
#include "core/train/loss.h"
#include "core/train/loss_log.h"
#include "core/train/optimizer.h"
#include "core/train/prefetch_source.h"
#include "core/train/sync_policy.h"

namespace runahead::experiment {
namespace {

constexpr int kResultReads = 7;

}  // namespace

/// Keeps the losses for a report that comes before the run has ended, and leaves the waiting to
/// the policy.
class TrainExperiment::LossKeeper final : public train::SyncPolicy {
 public:
  LossKeeper(TrainExperiment& experiment, train::SyncPolicy& policy)
      : experiment_(experiment), policy_(policy) {}

  void before_batch() override { policy_.before_batch(); }
  void after_batch(const train::IssuedBatch& batch) override {
    {
      const std::lock_guard lock(experiment_.mutex_);
      if (!experiment_.first_loss_.defined()) experiment_.first_loss_ = batch.loss;
      experiment_.last_loss_ = batch.loss;
    }
    policy_.after_batch(batch);
  }

 private:
  TrainExperiment& experiment_;
  train::SyncPolicy& policy_;
};

TrainExperiment::TrainExperiment(const ExperimentContext& context)
    : context_(context),
      meter_(context.device.back_end()),
      first_batches_(
          fitted_batches(context.config.batches), context.device.back_end(),
          [&device = context.device](TimePoint until) { return device.busy_seconds(until); },
          [&device = context.device] { return device.waited_seconds(); }) {
  const config::ExperimentConfig& config = context_.config;
  static_cast<void>(find_factory(context_.factories.models, config.model.kind, "/model/kind"));
  static_cast<void>(find_factory(context_.factories.sources, config.data.kind, "/data/kind"));
  context_.device.set_place([this] {
    if (!is_issuing_) return std::string("outside the loop");
    return "in batch " + std::to_string(meter_.counts().issued + 1);
  });
}

TrainExperiment::~TrainExperiment() { context_.device.set_place({}); }

void TrainExperiment::prepare(std::stop_token stop) {
  const config::ExperimentConfig& config = context_.config;
  const torch::Device device = context_.device.device();
  model_ = find_factory(context_.factories.models, config.model.kind, "/model/kind")(config);
  context_.device.place(model_->module());
  optimizer_ = train::make_optimizer(config.optimizer, model_->parameters());
  source_ = find_factory(context_.factories.sources, config.data.kind, "/data/kind")(
      config, device, context_.factories.staging(config, device));
  {
    const std::lock_guard lock(mutex_);
    figures_.trained_state_bytes =
        train::trained_state_bytes(config.optimizer, model_->parameters());
  }
  warm_up(std::move(stop));
}

void TrainExperiment::warm_up(std::stop_token stop) {
  std::ostream silent(nullptr);  // The wait `print` waits as it will later, and prints nothing.
  const auto policy = make_policy(silent, {}, {});
  train::BatchMeter meter(context_.device.back_end());
  train::TrainingTrace trace;
  run(context_.config.warmup_batches, *policy, meter, trace, {}, *source_, std::move(stop));
}

void TrainExperiment::issue(std::stop_token stop) {
  const auto policy = make_policy(
      context_.sink, [this](const std::string& text) { context_.device.notice_budget(text); },
      [this](const std::vector<double>& losses) {
        const std::lock_guard lock(mutex_);
        logged_losses_ = losses;
      });
  LossKeeper keeper(*this, *policy);
  is_issuing_ = true;
  const config::ExperimentConfig& config = context_.config;
  std::optional<train::PrefetchSource> prefetch;
  if (config.data.prefetch > 0) {
    prefetch.emplace(*source_,
                     train::PrefetchOptions{
                         .ahead = static_cast<std::size_t>(config.data.prefetch),
                         .batches = config.batches,
                         .on_start = [this] { context_.device.leave_out_waits_of_this_thread(); }});
  }
  train::BatchSource& source = prefetch ? static_cast<train::BatchSource&>(*prefetch) : *source_;
  run(config.batches, keeper, meter_, trace_, {&first_batches_}, source, std::move(stop));
  is_issuing_ = false;
  const std::lock_guard lock(mutex_);
  figures_.batch_bytes = trace_.batch_bytes;
  figures_.batch_kept_bytes = trace_.batch_kept_bytes;
}

std::unique_ptr<train::SyncPolicy> TrainExperiment::make_policy(
    std::ostream& sink, train::Notice on_notice, train::LoggingPolicy::OnRead on_logged) {
  auto policy =
      train::make_sync_policy(context_.config.sync, {.back_end = context_.device.back_end(),
                                                     .sink = sink,
                                                     .depth = context_.device.adaptive_depth(),
                                                     .window = context_.device.adaptive_window(),
                                                     .on_notice = std::move(on_notice)});
  if (context_.config.log_every == 0) return policy;
  return std::make_unique<train::LoggingPolicy>(std::move(policy), context_.config.log_every,
                                                std::move(on_logged));
}

void TrainExperiment::run(std::int64_t batches, train::SyncPolicy& policy, train::BatchMeter& meter,
                          train::TrainingTrace& trace, std::vector<train::LoopObserver*> observers,
                          train::BatchSource& source, std::stop_token stop) {
  observers.insert(observers.end(), context_.loop_observers.begin(), context_.loop_observers.end());
  train::TrainingLoop loop(*model_, *optimizer_, train::make_loss(context_.config.loss), source,
                           policy, std::move(observers));
  loop.run(batches, meter, trace, std::move(stop));
}

void TrainExperiment::read_results() {
  if (!trace_.last_loss.defined()) return;
  const double first_loss = trace_.first_loss.item().toDouble();
  double last_loss = 0.0;
  std::vector<double> read_seconds;
  for (int i = 0; i < kResultReads; ++i) {
    const TimePoint begun = Clock::now();
    last_loss = trace_.last_loss.item().toDouble();
    read_seconds.push_back(seconds_between(begun, Clock::now()));
  }
  const std::lock_guard lock(mutex_);
  figures_.first_loss = first_loss;
  figures_.last_loss = last_loss;
  figures_.t3_seconds = median(read_seconds);
}

TrainExperiment::Figures TrainExperiment::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

/// Those that were read in the end, else those that are computed already: reading them waits for
/// nothing.
record::LossFigures TrainExperiment::losses(const Figures& figures) const {
  if (figures.last_loss) return {.first = figures.first_loss, .last = figures.last_loss};
  torch::Tensor first;
  torch::Tensor last;
  {
    const std::lock_guard lock(mutex_);
    first = first_loss_;
    last = last_loss_;
  }
  // Counted after the losses were taken: the batches that they are of are among these.
  const train::BatchCounts counts = meter_.counts();
  const bool all_finished = counts.finished == counts.issued;
  const bool first_finished =
      all_finished || (counts.finished >= 1 && context_.device.reads_wait_alone());
  record::LossFigures losses;
  try {
    if (first.defined() && first_finished) losses.first = first.item().toDouble();
    if (last.defined() && all_finished) losses.last = last.item().toDouble();
  } catch (const std::exception&) {
    // What an operation that failed should have computed: the record tells of that one.
  }
  return losses;
}

void TrainExperiment::report(record::Record& record, TimePoint started) const {
  const Figures figures = this->figures();
  report_batches({.meter = meter_,
                  .batch_size = context_.config.data.batch_size,
                  .own_bytes = figures.trained_state_bytes,
                  .executes_at_issue = context_.device.executes_at_issue()},
                 started, record);
  record.loss = losses(figures);
  if (context_.config.log_every > 0) record.results["train"] = {{"logged_losses", logged_losses()}};
  report_costs(first_batches_.finished(),
               {.config = context_.config,
                .loop = loop_kind(),
                .loop_keeps_budget = !context_.device.back_end().holds_at_admission(),
                .started = started,
                .t3_seconds = figures.t3_seconds,
                .trained_state_bytes = figures.trained_state_bytes,
                .batch_bytes = figures.batch_bytes,
                .batch_kept_bytes = figures.batch_kept_bytes,
                .limit_bytes = context_.device.claimed_limit_bytes()},
               record);
}

train::LoopKind TrainExperiment::loop_kind() const {
  const config::ExperimentConfig& config = context_.config;
  return {.executes_at_issue = context_.device.executes_at_issue(),
          .makes_data_on_device = config.data.made == config::DataMade::kOnDevice,
          .waits_for_loss_alone =
              context_.device.reads_wait_alone() && config.sync.wait != config::WaitKind::kAll};
}

std::vector<double> TrainExperiment::logged_losses() const {
  const std::lock_guard lock(mutex_);
  return logged_losses_;
}

std::optional<train::BatchCounts> TrainExperiment::counts() const { return meter_.counts(); }

std::vector<std::unique_ptr<memory::Probe>> TrainExperiment::make_probes() const {
  std::vector<std::unique_ptr<memory::Probe>> probes;
  probes.push_back(meter_.make_probe());
  return probes;
}

}  // namespace runahead::experiment
