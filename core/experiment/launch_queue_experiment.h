#pragma once

#include <memory>

#include "core/experiment/timed_program.h"
#include "core/train/device_hold.h"

namespace runahead::experiment {

/// `launch_queue`: how far launches run ahead of a device before launching blocks. Something holds
/// the device for `hold_seconds`; meanwhile y = x + 1 of ones of `shape` is launched up to
/// `launches` times, its outputs dropped or kept (`outputs`), and each launch is timed. On `cuda`
/// the depth is that of the driver's queue, on `acpu` what the run-ahead limit allows beside the
/// hold, which is one operation in flight for each worker. An allocation is part of its launch:
/// where outputs are kept and the caching allocator has to ask for more, it may be what blocks.
class LaunchQueueExperiment final : public TimedProgram {
 public:
  /// @throws UnavailableError where nothing is ever queued, and for a device that cannot be held.
  explicit LaunchQueueExperiment(const ExperimentContext& context);

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;
  void add_results(Json& results) const override;

 private:
  std::unique_ptr<train::DeviceHold> hold_;
  torch::Tensor x_{};
};

}  // namespace runahead::experiment
