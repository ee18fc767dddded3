#include <torch/optim/optimizer.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/experiment/batch_experiment.h"
#include "core/experiment/cost_report.h"
#include "core/experiment/training_job.h"
#include "core/recording/batch_report.h"
#include "core/train/batch_timeline.h"
#include "core/train/cost_fit.h"
#include "core/train/loss.h"
#include "core/train/loss_log.h"
#include "core/train/optimizer.h"
#include "core/train/training_loop.h"

namespace runahead::experiment {
namespace {

constexpr int kResultReads = 7;

record::LossFigures loss_figures(std::optional<double> first, std::optional<double> last) {
  record::LossFigures losses{.first = first, .last = last};
  if (first || last) {
    losses.finite = std::isfinite(first.value_or(0.0)) && std::isfinite(last.value_or(0.0));
  }
  return losses;
}

/// `train`: trains the config's model for `batches` batches under its sync policy.
///
/// Evaluations and checkpoints are those of TrainingJob.
///
/// With `log_every`, the losses of that many batches stay on the device and are then read together.
/// This is a wait in addition to the policy's, in the warm-up too.
///
/// The costs of a batch, and the predictions from them, come from the first batches: see
/// cost_report.h. If no policy waits for a result, t3 is the time to read the last loss when the
/// device is idle, median of 7.
class TrainExperiment final : public BatchExperiment {
 public:
  /// @throws ConfigError if no factory has the config's model or data.
  explicit TrainExperiment(const ExperimentContext& context) : BatchExperiment(context) {}

  void prepare(std::stop_token stop) override {
    make_parts();
    const config::OptimizerConfig& config = context().config.optimizer;
    optimizer_ = train::make_optimizer(config, model().parameters());
    {
      const std::lock_guard lock(mutex_);
      figures_.trained_state_bytes =
          model().bytes() + train::optimizer_state_bytes(config, model().parameters());
    }
    job_ = std::make_unique<TrainingJob>(context(), model(), *optimizer_);
    start_at(job_->resume());
    make_timeline();
    auto log = make_log({});
    std::vector<train::LoopObserver*> observers;
    if (log) observers.push_back(&*log);
    warm_up(std::move(observers), std::move(stop));
  }

  void issue(std::stop_token stop) override {
    LossKeeper keeper(*this);
    auto log = make_log([this](const std::vector<double>& losses) {
      const std::lock_guard lock(mutex_);
      logged_losses_ = losses;
    });
    std::vector<train::LoopObserver*> observers{&*timeline_, &keeper};
    if (log) observers.push_back(&*log);
    for (train::LoopObserver* observer : job_->observers()) observers.push_back(observer);
    run_measured(std::move(observers), std::move(stop));
    const std::lock_guard lock(mutex_);
    figures_.batch_bytes = trace().batch_bytes;
    figures_.batch_kept_bytes = trace().batch_kept_bytes;
  }

  void read_results() override {
    read_losses();
    job_->conclude();
  }

  void report(record::Record& record, TimePoint started) const override {
    const Figures figures = this->figures();
    recording::report_batches({.batches = meter().counter(),
                               .batch_size = batch_size(),
                               .own_bytes = figures.trained_state_bytes,
                               .executes_at_issue = context().device.executes_at_issue()},
                              started, record);
    record.loss = losses(figures);
    Json results = Json::object();
    if (context().config.log_every > 0) results["logged_losses"] = logged_losses();
    if (job_) job_->report(results);
    if (!results.empty()) record.results["train"] = results;
    if (!timeline_) return;
    report_costs(timeline_->finished(),
                 {.config = context().config,
                  .batches = batches(),
                  .loop = loop_kind(),
                  .loop_keeps_budget = !context().device.back_end().holds_at_admission(),
                  .started = started,
                  .t3_seconds = figures.t3_seconds,
                  .trained_state_bytes = figures.trained_state_bytes,
                  .batch_bytes = figures.batch_bytes,
                  .batch_kept_bytes = figures.batch_kept_bytes,
                  .limit_bytes = context().device.claimed_limit_bytes()},
                 record);
  }

 private:
  /// The front end's figures so far, for report() on any thread.
  struct Figures {
    std::optional<double> t3_seconds{};
    std::optional<double> first_loss{};
    std::optional<double> last_loss{};
    std::uint64_t batch_bytes = 0;
    std::uint64_t batch_kept_bytes = 0;
    std::uint64_t trained_state_bytes = 0;
  };

  /// Keeps the losses for a report that comes before the run has ended.
  class LossKeeper final : public train::LoopObserver {
   public:
    explicit LossKeeper(TrainExperiment& experiment) : experiment_(experiment) {}

    void on_issued(const train::IssuedBatch& batch) override {
      const std::lock_guard lock(experiment_.mutex_);
      if (!experiment_.first_loss_.defined()) experiment_.first_loss_ = *batch.loss;
      experiment_.last_loss_ = *batch.loss;
    }

   private:
    TrainExperiment& experiment_;
  };

  void make_timeline() {
    DeviceSession& device = context().device;
    timeline_.emplace(
        fitted_batches(batches()), device.back_end(),
        [&device](TimePoint until) { return device.busy_seconds(until); },
        [&device] { return device.waited_seconds(); });
  }

  void read_losses() {
    if (!trace().last_loss.defined()) return;
    const double first_loss = trace().first_loss.item().toDouble();
    double last_loss = 0.0;
    std::vector<double> read_seconds;
    for (int i = 0; i < kResultReads; ++i) {
      const TimePoint begun = Clock::now();
      last_loss = trace().last_loss.item().toDouble();
      read_seconds.push_back(seconds_between(begun, Clock::now()));
    }
    const std::lock_guard lock(mutex_);
    figures_.first_loss = first_loss;
    figures_.last_loss = last_loss;
    figures_.t3_seconds = median(read_seconds);
  }

  [[nodiscard]] std::unique_ptr<train::BatchLoop> make_loop(
      train::BatchSource& source, train::Waiter& waiter,
      std::vector<train::LoopObserver*> observers) override {
    return std::make_unique<train::TrainingLoop>(model(), *optimizer_,
                                                 train::make_loss(context().config.loss), source,
                                                 waiter, std::move(observers));
  }

  [[nodiscard]] std::optional<train::LossLog> make_log(train::LossLog::OnRead on_read) {
    const std::int64_t every = context().config.log_every;
    if (every == 0) return std::nullopt;
    return train::LossLog(every, std::move(on_read));
  }

  [[nodiscard]] Figures figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
  }

  /// The losses that were read at the end, or else those already computed, since reading them does
  /// not wait.
  [[nodiscard]] record::LossFigures losses(const Figures& figures) const {
    if (figures.last_loss) return loss_figures(figures.first_loss, figures.last_loss);
    torch::Tensor first;
    torch::Tensor last;
    {
      const std::lock_guard lock(mutex_);
      first = first_loss_;
      last = last_loss_;
    }
    // Counted after the losses were taken, so that the counts include their batches.
    const train::BatchCounts counts = meter().counts();
    const bool all_finished = counts.finished == counts.issued;
    const bool first_finished =
        all_finished || (counts.finished >= 1 && context().device.reads_wait_alone());
    std::optional<double> first_loss;
    std::optional<double> last_loss;
    try {
      if (first.defined() && first_finished) first_loss = first.item().toDouble();
      if (last.defined() && all_finished) last_loss = last.item().toDouble();
    } catch (const std::exception&) {
      // The operation that computes it failed; the record reports that failure.
    }
    return loss_figures(first_loss, last_loss);
  }

  [[nodiscard]] std::vector<double> logged_losses() const {
    const std::lock_guard lock(mutex_);
    return logged_losses_;
  }

  [[nodiscard]] train::LoopKind loop_kind() const {
    const config::ExperimentConfig& config = context().config;
    return {.executes_at_issue = context().device.executes_at_issue(),
            .makes_data_on_device = config.data.made == config::DataMade::kOnDevice,
            .waits_for_loss_alone = context().device.reads_wait_alone() &&
                                    config.sync->wait() != config::WaitKind::kAll};
  }

  std::unique_ptr<torch::optim::Optimizer> optimizer_{};
  std::unique_ptr<TrainingJob> job_{};
  std::optional<train::BatchTimeline> timeline_{};  ///< Made by prepare().

  mutable std::mutex mutex_{};  ///< Guards what follows.
  Figures figures_{};
  torch::Tensor first_loss_{};  ///< Among the batches issued so far; detached, on the device.
  torch::Tensor last_loss_{};
  std::vector<double> logged_losses_{};  ///< See train::LossLog::OnRead.
};

}  // namespace

std::unique_ptr<Experiment> make_train(const ExperimentContext& context) {
  return std::make_unique<TrainExperiment>(context);
}

}  // namespace runahead::experiment
