#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <vector>

#include "core/base/clock.h"
#include "core/config/experiment_config.h"
#include "core/engine/observer.h"
#include "core/experiment/device_session.h"
#include "core/experiment/factories.h"
#include "core/memory/probe.h"
#include "core/record/record.h"
#include "core/train/batch_meter.h"
#include "core/train/loop_observer.h"

namespace runahead::experiment {

/// One kind of experiment, made for one run. The runner calls prepare, issue and read_results once
/// each, in this order, on the front end's thread, and waits for the device after each of the first
/// two; the clock runs from the end of prepare to the end of the wait after issue.
///
/// The first three may throw whatever the work throws; the run's record says it.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// Before the clock starts: makes what is needed and warms up.
  virtual void prepare(std::stop_token stop) = 0;
  /// The measured part, the waits included that belong to it. Returns early when asked to stop.
  virtual void issue(std::stop_token stop) = 0;
  /// Off the clock, once the device is idle: reads the results back.
  virtual void read_results() = 0;

  /// Fills in what it has measured so far, after the device and the runner have. Any thread, at any
  /// time. @param started  When the clock started.
  virtual void report(record::Record& record, TimePoint started) const = 0;
  /// Batches so far; nullopt if it does not work in batches. Any thread.
  [[nodiscard]] virtual std::optional<train::BatchCounts> counts() const = 0;
  /// Probes of its own counters, for the monitor; may be none.
  [[nodiscard]] virtual std::vector<std::unique_ptr<memory::Probe>> make_probes() const = 0;
  /// Observes the engine until the device of the run has ended; null: none.
  [[nodiscard]] virtual std::shared_ptr<engine::Observer> engine_observer() const {
    return nullptr;
  }
};

/// What an experiment is made with; all of it outlives the experiment.
struct ExperimentContext {
  const config::ExperimentConfig& config;
  const Factories& factories;
  DeviceSession& device;
  std::ostream& sink;                                  ///< Where the wait `print` prints.
  std::vector<train::LoopObserver*> loop_observers{};  ///< Of its loop over batches; none is null.
};

}  // namespace runahead::experiment
