#pragma once

#include <torch/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/train/batch_meter.h"
#include "core/train/batch_source.h"
#include "core/train/loop_observer.h"
#include "core/train/model.h"
#include "core/train/sync_policy.h"

namespace runahead::experiment {

/// `predict`: the config's model forward only, `batches` batches under its sync policy; the program
/// drops the outputs or keeps them to the end. What a policy waits for is the first output of a
/// batch, in the place of a loss.
class PredictExperiment final : public Experiment {
 public:
  /// @throws ConfigError if no factory has the config's model or data.
  explicit PredictExperiment(const ExperimentContext& context);
  ~PredictExperiment() override;

  void prepare(std::stop_token stop) override;
  void issue(std::stop_token stop) override;
  void read_results() override {}
  void report(record::Record& record, TimePoint started) const override;
  [[nodiscard]] std::optional<train::BatchCounts> counts() const override;
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const override;

 private:
  void run(std::int64_t batches, train::SyncPolicy& policy, train::BatchMeter& meter,
           const std::stop_token& stop);
  [[nodiscard]] train::Batch next_batch();
  [[nodiscard]] torch::Tensor predict(const train::Batch& batch);
  void enter(train::LoopPhase phase) const;

  ExperimentContext context_;
  std::unique_ptr<train::Model> model_{};
  std::unique_ptr<train::BatchSource> source_{};
  train::BatchMeter meter_;
  std::vector<torch::Tensor> kept_{};
  std::atomic<std::uint64_t> parameter_bytes_{0};
  std::atomic<std::uint64_t> output_bytes_{0};  ///< Of one batch.
  std::atomic<std::uint64_t> kept_bytes_{0};
};

}  // namespace runahead::experiment
