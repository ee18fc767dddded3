#pragma once

#include <torch/optim/optimizer.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/experiment/timed_program.h"
#include "core/train/model.h"

namespace runahead::experiment {

/// `front_end`: trains `batches` batches under the config's sync policy with a delay in each,
/// `delay_percent` of t2, in which the front end's CPU is busy, one after another. Host work
/// overlaps the device's where the total stays flat until the delay reaches t2.
///
/// t2 is what a batch takes without a delay and without a wait, measured before the clock starts:
/// the data should be made beforehand, so that the back end is the slower side.
class FrontEndExperiment final : public TimedProgram {
 public:
  /// @throws ConfigError if no factory has the config's model or data.
  explicit FrontEndExperiment(const ExperimentContext& context);

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;
  void forget_warmup() override;
  void add_results(Json& results) const override;

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

  [[nodiscard]] LoopTimes time_training(double delay_seconds, const config::SyncConfig& sync);

  std::unique_ptr<train::Model> model_{};
  std::unique_ptr<torch::optim::Optimizer> optimizer_{};

  mutable std::mutex mutex_{};  ///< Guards what follows.
  double t1_seconds_ = 0.0;
  double t2_seconds_ = 0.0;
  std::vector<Delay> delays_{};
};

}  // namespace runahead::experiment
