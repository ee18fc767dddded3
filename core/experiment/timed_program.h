#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/measured_figures.h"

namespace runahead::experiment {

/// A kind of experiment that times a short program: `warmup_repeats` times before the clock starts
/// and `repeats` times after. Nothing is in flight when a repeat begins, and a stop is checked for
/// before each. `results.<kind>` holds what the completed repeats measured.
class TimedProgram : public Experiment {
 public:
  explicit TimedProgram(const ExperimentContext& context) : context_(context) {}

  void prepare(std::stop_token stop) final;
  void issue(std::stop_token stop) final;
  void read_results() final {}
  void report(record::Record& record, TimePoint started) const final;
  [[nodiscard]] std::optional<train::BatchCounts> counts() const final { return std::nullopt; }
  [[nodiscard]] std::vector<std::unique_ptr<memory::Probe>> make_probes() const final { return {}; }

 protected:
  /// Makes what every repeat uses. Called once, before the warm-up, with the config's seed set.
  virtual void set_up() {}
  /// Runs the program once, on the front end's thread.
  virtual void run_once(Repeat& repeat) = 0;
  /// How often the program is measured.
  [[nodiscard]] virtual std::int64_t repeats() const { return program().repeats; }
  /// Called at the end of the warm-up, to discard what it measured.
  virtual void forget_warmup() {}
  /// Adds to `results.<kind>` anything that is not a figure of a repeat. Any thread, at any time.
  virtual void add_results(Json& results) const { static_cast<void>(results); }

  [[nodiscard]] const config::ProgramConfig& program() const { return context_.config.program; }
  [[nodiscard]] torch::Device device() const { return context_.device.device(); }
  [[nodiscard]] train::BackEnd& back_end() const { return context_.device.back_end(); }
  /// Options for a float32 tensor on the device.
  [[nodiscard]] torch::TensorOptions options() const {
    return torch::TensorOptions(torch::kFloat32).device(device());
  }
  [[nodiscard]] DeviceSession& session() const { return context_.device; }
  [[nodiscard]] const ExperimentContext& context() const { return context_; }

 private:
  ExperimentContext context_;
  mutable std::mutex mutex_{};
  MeasuredFigures figures_{};  ///< Guarded by mutex_.
};

}  // namespace runahead::experiment
