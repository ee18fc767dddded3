#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/json.h"
#include "core/experiment/device_session.h"
#include "core/experiment/increment_timing.h"
#include "core/train/policies/cost_model.h"

namespace runahead::experiment {

/// Runs of y = x + 1 for several numbers of operations, repeat by repeat: some to fit the costs to,
/// and others to predict with them. Any thread may read what has been measured.
class IncrementSeries {
 public:
  /// @param fitted  At least two different numbers. @param predicted  At least one.
  IncrementSeries(std::vector<std::int64_t> fitted, std::vector<std::int64_t> predicted);

  /// Runs one repeat, each number once. On the front end's thread; nothing may be in flight.
  void measure(DeviceSession& device, const IncrementProgram& program);
  /// Forgets what was measured.
  void clear();

  /// The costs fitted to all repeats; nullopt before the end of the first.
  [[nodiscard]] std::optional<train::BatchCost> cost() const;
  /// The runs to be predicted, one list per number of operations.
  [[nodiscard]] std::vector<std::vector<IncrementRun>> runs() const;
  /// to_json of the cost, and `runs`; null before the end of the first repeat.
  [[nodiscard]] Json to_json() const;

 private:
  const std::vector<std::int64_t> fitted_;
  const std::vector<std::int64_t> predicted_;
  mutable std::mutex mutex_{};
  std::vector<IncrementRun> fitted_runs_{};        ///< Of completed repeats.
  std::vector<std::vector<IncrementRun>> runs_{};  ///< Likewise; by the index in predicted_.
};

}  // namespace runahead::experiment
