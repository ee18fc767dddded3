#pragma once

#include <torch/optim/optimizer.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/train/batch_meter.h"
#include "core/train/batch_source.h"
#include "core/train/cost_fit.h"
#include "core/train/first_batches.h"
#include "core/train/loss_log.h"
#include "core/train/model.h"
#include "core/train/training_loop.h"

namespace runahead::experiment {

/// `train`: trains the config's model for `batches` batches under its sync policy.
///
/// With `log_every` each batch's loss stays on the device until so many are there; then they are
/// read together: a wait of its own beside the policy's, in the warm-up too.
///
/// With `data.prefetch` the measured batches are prepared ahead, from the start of the clock on.
///
/// The costs of a batch, and what they predict, come from the first batches: see cost_report.h.
/// Where nobody waited for a result, t3 is reading the last loss when the device is idle, median
/// of 7.
class TrainExperiment final : public Experiment {
 public:
  /// @throws ConfigError if no factory has the config's model or data.
  explicit TrainExperiment(const ExperimentContext& context);
  ~TrainExperiment() override;

  void prepare(std::stop_token stop) override;
  void issue(std::stop_token stop) override;
  void read_results() override;
  void report(record::Record& record, TimePoint started) const override;
  [[nodiscard]] std::optional<train::BatchCounts> counts() const override;
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const override;

 private:
  /// What the front end has told of itself so far, for report() on any thread.
  struct Figures {
    std::optional<double> t3_seconds{};
    std::optional<double> first_loss{};
    std::optional<double> last_loss{};
    std::uint64_t batch_bytes = 0;
    std::uint64_t batch_kept_bytes = 0;
    std::uint64_t trained_state_bytes = 0;
  };

  class LossKeeper;

  void warm_up(std::stop_token stop);
  /// @param on_logged  Is told of the means of the losses that `log_every` asks for.
  [[nodiscard]] std::unique_ptr<train::SyncPolicy> make_policy(
      std::ostream& sink, train::Notice on_notice, train::LoggingPolicy::OnRead on_logged);
  void run(std::int64_t batches, train::SyncPolicy& policy, train::BatchMeter& meter,
           train::TrainingTrace& trace, std::vector<train::LoopObserver*> observers,
           train::BatchSource& source, std::stop_token stop);
  [[nodiscard]] Figures figures() const;
  [[nodiscard]] record::LossFigures losses(const Figures& figures) const;
  [[nodiscard]] std::vector<double> logged_losses() const;
  [[nodiscard]] train::LoopKind loop_kind() const;

  ExperimentContext context_;
  std::unique_ptr<train::Model> model_{};
  std::unique_ptr<torch::optim::Optimizer> optimizer_{};
  std::unique_ptr<train::BatchSource> source_{};
  train::BatchMeter meter_;
  train::FirstBatches first_batches_;
  train::TrainingTrace trace_{};
  std::atomic<bool> is_issuing_{false};

  mutable std::mutex mutex_{};  ///< Guards what follows.
  Figures figures_{};
  torch::Tensor first_loss_{};  ///< Of the batches issued so far, detached, on the device.
  torch::Tensor last_loss_{};
  std::vector<double> logged_losses_{};  ///< LossLog::means().
};

}  // namespace runahead::experiment
