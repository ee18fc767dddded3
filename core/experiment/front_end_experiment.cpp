#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/statistics.h"
#include "core/experiment/factories.h"
#include "core/experiment/host_work.h"
#include "core/experiment/stopwatch.h"
#include "core/experiment/timed_program.h"
#include "core/train/loss.h"
#include "core/train/model.h"
#include "core/train/optimizer.h"
#include "core/train/slow_source.h"
#include "core/train/training_loop.h"

namespace runahead::experiment {
namespace {

constexpr int kTrainingsForT2 = 3;  // Their median counts, after one to warm up.

/// `front_end`: trains `batches` batches under the config's sync policy, once for each of
/// `delay_percent`. The front end's CPU is busy for that percentage of t2 in each batch. Host work
/// overlaps the device's if the total stays flat until the delay reaches t2.
///
/// t2 is the time of a batch without a delay and without a wait, measured before the clock starts.
/// The data should be made beforehand, so that the back end is the slower side.
class FrontEndExperiment final : public TimedProgram {
 public:
  /// @throws ConfigError if no factory has the config's model or data.
  explicit FrontEndExperiment(const ExperimentContext& context) : TimedProgram(context) {
    const config::ExperimentConfig& config = context.config;
    static_cast<void>(find_factory(context.factories.models, config.model.kind, "/model/kind"));
    static_cast<void>(find_factory(context.factories.sources, config.data.kind, "/data/kind"));
  }

 protected:
  void set_up() override {
    const config::ExperimentConfig& config = context().config;
    model_ = find_factory(context().factories.models, config.model.kind, "/model/kind")(config);
    session().place(model_->module());
    optimizer_ = train::make_optimizer(config.optimizer, model_->parameters());

    const config::SyncConfig no_wait("none");
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

  void run_once(Repeat& /*repeat*/) override {
    for (Delay& delay : delays_) {
      const double total_seconds =
          time_training(delay.seconds, context().config.sync).total_seconds;
      const std::lock_guard lock(mutex_);
      delay.total_seconds.push_back(total_seconds);
    }
  }

  void forget_warmup() override {
    const std::lock_guard lock(mutex_);
    for (Delay& delay : delays_) delay.total_seconds.clear();
  }

  void add_results(Json& results) const override {
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

 private:
  struct LoopTimes {
    double issue_seconds = 0.0;
    double total_seconds = 0.0;
  };
  struct Delay {
    std::int64_t percent = 0;
    double seconds = 0.0;
    std::vector<double> total_seconds{};  ///< Of the repeats so far.
  };

  [[nodiscard]] LoopTimes time_training(double delay_seconds, const config::SyncConfig& sync) {
    const config::ExperimentConfig& config = context().config;
    train::SlowSource source(context().make_source(config),
                             [delay_seconds] { work_for(delay_seconds); });
    const auto waiter = sync->start(session().policy_context(context().sink, {}));
    train::TrainingLoop loop(*model_, *optimizer_, train::make_loss(config.loss), source, *waiter);
    train::BatchMeter meter(back_end());
    train::LoopTrace trace;

    const Stopwatch watch;
    loop.run(config.batches, meter, trace);
    LoopTimes times{.issue_seconds = watch.seconds()};
    back_end().synchronize();
    times.total_seconds = watch.seconds();
    return times;
  }

  std::unique_ptr<train::Model> model_{};
  std::unique_ptr<torch::optim::Optimizer> optimizer_{};

  mutable std::mutex mutex_{};  ///< Guards what follows.
  double t1_seconds_ = 0.0;
  double t2_seconds_ = 0.0;
  std::vector<Delay> delays_{};
};

}  // namespace

std::unique_ptr<Experiment> make_front_end(const ExperimentContext& context) {
  return std::make_unique<FrontEndExperiment>(context);
}

}  // namespace runahead::experiment
