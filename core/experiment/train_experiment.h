#pragma once

#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/train/batch_meter.h"
#include "core/train/batch_source.h"
#include "core/train/model.h"
#include "core/train/training_loop.h"

namespace runahead::experiment {

/// `train`: trains the config's model for `batches` batches under its sync policy.
///
/// Costs of a batch in the record:
/// - t1, the front end issues it: its time outside the sync policy, data included (being held at
///   the run-ahead limit counts, too); on a device that executes at issue (`cpu`), the data alone.
///   Median over the batches;
/// - t2, the back end executes it: on `acpu` the time in which at least one operation was
///   executing, over the batches; on a device that executes at issue the step's median; on `cuda`
///   the median time between the ends of two batches of which the second had been issued before the
///   first ended, null if there were none;
/// - t3, its result is returned: reading the last loss when the device is idle, median of 7.
class TrainExperiment final : public Experiment {
 public:
  /// @throws ConfigError if no factory has the config's model or data, or its policy is not built.
  explicit TrainExperiment(const ExperimentContext& context);

  void prepare(std::stop_token stop) override;
  void issue(std::stop_token stop) override;
  void read_results() override;
  void report(record::Record& record, TimePoint started) const override;
  [[nodiscard]] std::optional<train::BatchCounts> counts() const override;
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const override;

 private:
  /// What the front end has told of itself so far, for report() on any thread.
  struct Figures {
    std::optional<double> data_seconds{};   ///< Median a batch.
    std::optional<double> step_seconds{};   ///< Likewise.
    std::optional<double> issue_seconds{};  ///< Likewise, of both together.
    std::optional<double> t3_seconds{};
    std::optional<double> first_loss{};
    std::optional<double> last_loss{};
    std::uint64_t batch_bytes = 0;
    std::uint64_t trained_state_bytes = 0;
  };

  class LossKeeper;

  void warm_up(std::stop_token stop);
  void run(std::int64_t batches, train::SyncPolicy& policy, train::BatchMeter& meter,
           train::TrainingTrace& trace, std::stop_token stop);
  [[nodiscard]] Figures figures() const;
  [[nodiscard]] record::LossFigures losses(const Figures& figures) const;
  [[nodiscard]] std::optional<double> t2_seconds(const Figures& figures) const;
  void report_costs(const Figures& figures, record::Record& record) const;

  ExperimentContext context_;
  std::unique_ptr<train::Model> model_{};
  std::unique_ptr<torch::optim::Optimizer> optimizer_{};
  std::unique_ptr<train::BatchSource> source_{};
  train::BatchMeter meter_;
  train::TrainingTrace trace_{};

  mutable std::mutex mutex_{};  ///< Guards what follows.
  Figures figures_{};
  torch::Tensor first_loss_{};  ///< Of the batches issued so far, detached, on the device.
  torch::Tensor last_loss_{};
};

}  // namespace runahead::experiment
