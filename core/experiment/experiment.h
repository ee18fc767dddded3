#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <utility>
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
/// two. The clock runs from the end of the wait after prepare to the end of the wait after issue.
///
/// These three may throw whatever the work throws; the run's record reports it.
class Experiment {
 public:
  virtual ~Experiment() = default;

  /// Sets up and warms up, before the clock starts.
  virtual void prepare(std::stop_token stop) = 0;
  /// Runs the measured part, including the waits that belong to it. Returns early if asked to stop.
  virtual void issue(std::stop_token stop) = 0;
  /// Reads the results back once the device is idle; not timed.
  virtual void read_results() = 0;

  /// Fills in what the experiment has measured so far, after the device and the runner have filled
  /// in theirs. Any thread, at any time. @param started  When the clock started.
  virtual void report(record::Record& record, TimePoint started) const = 0;
  /// Batches so far; nullopt if the experiment does not work in batches. Any thread.
  [[nodiscard]] virtual std::optional<train::BatchCounts> counts() const = 0;
  /// Batches that the measured part takes, without those that a resumed job trained earlier; 0 if
  /// the experiment does not work in batches. Any thread.
  [[nodiscard]] virtual std::int64_t batches() const { return 0; }
  /// Probes of the experiment's own counters, for the monitor; may be empty.
  [[nodiscard]] virtual std::vector<std::unique_ptr<memory::Probe>> make_probes() const = 0;
  /// An observer of the engine, kept until the run's device has been shut down; null: none.
  [[nodiscard]] virtual std::shared_ptr<engine::Observer> engine_observer() const {
    return nullptr;
  }
};

/// What an experiment is constructed with; all of it outlives the experiment.
struct ExperimentContext {
  const config::ExperimentConfig& config;
  const Factories& factories;
  DeviceSession& device;
  std::ostream& sink;                                  ///< Where the wait `print` writes.
  std::vector<train::LoopObserver*> loop_observers{};  ///< Observe its batch loop; none is null.
  std::vector<int> cpus{};  ///< Those the run may use; empty: those of the calling thread.

  /// Makes the source of the data of `data`, usually the run's own config.
  /// @throws ConfigError if it has no factory.
  [[nodiscard]] std::unique_ptr<train::BatchSource> make_source(
      const config::ExperimentConfig& data) const {
    auto source = factories.make_source(data, device.device());
    source->use_cpus(cpus);
    return source;
  }
};

using ExperimentMaker = std::unique_ptr<Experiment> (*)(const ExperimentContext& context);

/// The kinds that are built, as listed in core/config/CMakeLists.txt, and the maker of each.
[[nodiscard]] const std::vector<std::pair<std::string, ExperimentMaker>>& experiment_makers();

}  // namespace runahead::experiment
