#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/train/batch_loop.h"
#include "core/train/batch_meter.h"
#include "core/train/batch_source.h"
#include "core/train/model.h"

namespace runahead::experiment {

/// A kind of experiment that runs the config's model over `batches` batches under its sync policy.
/// With `data.prefetch` the measured batches are prepared ahead, from the start of the clock on.
class BatchExperiment : public Experiment {
 public:
  /// @throws ConfigError if no factory has the config's model or data.
  explicit BatchExperiment(const ExperimentContext& context);
  ~BatchExperiment() override;

  [[nodiscard]] std::optional<train::BatchCounts> counts() const final { return meter_.counts(); }
  [[nodiscard]] std::int64_t batches() const final { return batches_; }
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const final;

 protected:
  /// Makes the model, placed on the device, and the source.
  void make_parts();
  /// Skips the first `batch` batches, which were trained earlier. Call it only after make_parts().
  void start_at(std::int64_t batch);
  /// Runs the warm-up's batches. The sync policy's wait `print` prints nothing here.
  void warm_up(std::vector<train::LoopObserver*> observers, std::stop_token stop);
  /// Runs the measured batches, counted by meter(). @param observers  Besides the context's.
  void run_measured(std::vector<train::LoopObserver*> observers, std::stop_token stop);

  [[nodiscard]] virtual std::unique_ptr<train::BatchLoop> make_loop(
      train::BatchSource& source, train::Waiter& waiter,
      std::vector<train::LoopObserver*> observers) = 0;

  [[nodiscard]] const ExperimentContext& context() const noexcept { return context_; }
  [[nodiscard]] train::Model& model() const { return *model_; }
  [[nodiscard]] const train::BatchMeter& meter() const noexcept { return meter_; }
  /// Mean number of examples in the measured batches; the config's until they are issued. Any
  /// thread.
  [[nodiscard]] double batch_size() const noexcept { return batch_size_; }
  /// The trace of the measured batches. Front end only.
  [[nodiscard]] const train::LoopTrace& trace() const noexcept { return trace_; }

 private:
  ExperimentContext context_;
  std::unique_ptr<train::Model> model_{};
  std::unique_ptr<train::BatchSource> source_{};
  std::atomic<std::int64_t> batches_;
  std::atomic<double> batch_size_;
  train::BatchMeter meter_;
  train::LoopTrace trace_{};
  std::atomic<bool> is_issuing_{false};
};

}  // namespace runahead::experiment
