#include "core/experiment/front_end_experiment.h"

#include "core/base/spread.h"
#include "core/base/statistics.h"
#include "core/experiment/find_factory.h"
#include "core/experiment/host_work.h"
#include "core/experiment/stopwatch.h"
#include "core/train/loss.h"
#include "core/train/optimizer.h"
#include "core/train/slow_source.h"
#include "core/train/sync_policy.h"
#include "core/train/training_loop.h"

namespace runahead::experiment {

namespace {
constexpr int kTrainingsForT2 = 3;  // Their median, after one to warm up.
}  // namespace

FrontEndExperiment::FrontEndExperiment(const ExperimentContext& context) : TimedProgram(context) {
  const config::ExperimentConfig& config = context.config;
  static_cast<void>(find_factory(context.factories.models, config.model.kind, "/model/kind"));
  static_cast<void>(find_factory(context.factories.sources, config.data.kind, "/data/kind"));
}

void FrontEndExperiment::set_up() {
  const config::ExperimentConfig& config = context().config;
  model_ = find_factory(context().factories.models, config.model.kind, "/model/kind")(config);
  session().place(model_->module());
  optimizer_ = train::make_optimizer(config.optimizer, model_->parameters());

  const config::SyncConfig no_wait{.policy = config::SyncPolicyKind::kNone};
  static_cast<void>(time_training(0.0, no_wait));
  std::vector<double> issue_seconds;
  std::vector<double> total_seconds;
  for (int i = 0; i < kTrainingsForT2; ++i) {
    const LoopTimes times = time_training(0.0, no_wait);
    issue_seconds.push_back(times.issue_seconds);
    total_seconds.push_back(times.total_seconds);
  }
  const auto batches = static_cast<double>(config.batches);
  const std::lock_guard lock(mutex_);
  t1_seconds_ = median(issue_seconds) / batches;
  t2_seconds_ = median(total_seconds) / batches;
  for (const std::int64_t percent : program().delay_percent) {
    delays_.push_back(
        {.percent = percent, .seconds = t2_seconds_ * (static_cast<double>(percent) / 100.0)});
  }
}

void FrontEndExperiment::run_once(Repeat& /*repeat*/) {
  for (Delay& delay : delays_) {
    const double total_seconds = time_training(delay.seconds, context().config.sync).total_seconds;
    const std::lock_guard lock(mutex_);
    delay.total_seconds.push_back(total_seconds);
  }
}

FrontEndExperiment::LoopTimes FrontEndExperiment::time_training(double delay_seconds,
                                                                const config::SyncConfig& sync) {
  const config::ExperimentConfig& config = context().config;
  train::SlowSource source(
      find_factory(context().factories.sources, config.data.kind, "/data/kind")(
          config, device(), context().factories.staging(config, device())),
      [delay_seconds] { work_for(delay_seconds); });
  const auto policy = train::make_sync_policy(sync, {.back_end = back_end(),
                                                     .sink = context().sink,
                                                     .depth = session().adaptive_depth(),
                                                     .window = session().adaptive_window()});
  train::TrainingLoop loop(*model_, *optimizer_, train::make_loss(config.loss), source, *policy);
  train::BatchMeter meter(back_end());
  train::TrainingTrace trace;

  const Stopwatch watch;
  loop.run(config.batches, meter, trace);
  LoopTimes times{.issue_seconds = watch.seconds()};
  back_end().synchronize();
  times.total_seconds = watch.seconds();
  return times;
}

void FrontEndExperiment::forget_warmup() {
  const std::lock_guard lock(mutex_);
  for (Delay& delay : delays_) delay.total_seconds.clear();
}

void FrontEndExperiment::add_results(Json& results) const {
  const std::lock_guard lock(mutex_);
  results["t1_seconds"] = t1_seconds_;
  results["t2_seconds"] = t2_seconds_;
  results["delays"] = Json::array();
  for (const Delay& delay : delays_) {
    std::vector<double> each;
    for (const double total : delay.total_seconds) {
      each.push_back(total / static_cast<double>(context().config.batches));
    }
    results["delays"].push_back({{"percent", delay.percent},
                                 {"delay_seconds", delay.seconds},
                                 {"total_seconds", to_json(spread_of(delay.total_seconds))},
                                 {"seconds_per_batch", to_json(spread_of(each))}});
  }
}

}  // namespace runahead::experiment
