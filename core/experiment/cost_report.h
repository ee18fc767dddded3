#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/config/experiment_config.h"
#include "core/record/record.h"
#include "core/train/batch_timeline.h"
#include "core/train/cost_fit.h"

namespace runahead::experiment {

/// Batches that the cost model is fitted to: the first 20, or half of a run of fewer than 40.
[[nodiscard]] std::size_t fitted_batches(std::int64_t batches) noexcept;

/// What a cost report needs in addition to the first batches.
struct CostContext {
  const config::ExperimentConfig& config;
  std::int64_t batches = 0;  ///< That the run takes; fewer than the config's if a job resumed.
  train::LoopKind loop{};
  bool loop_keeps_budget = false;              ///< By waiting for batches; else the device does.
  TimePoint started{};                         ///< When the clock started.
  std::optional<double> t3_seconds{};          ///< Time to read a result when the device is idle.
  std::uint64_t trained_state_bytes = 0;       ///< Parameters, buffers, optimiser state.
  std::uint64_t batch_bytes = 0;               ///< Inputs and targets of a batch.
  std::uint64_t batch_kept_bytes = 0;          ///< Bytes per batch that the loop's budget counts.
  std::optional<std::uint64_t> limit_bytes{};  ///< Bound on committed bytes.
};

/// Fits the cost model to a run's first batches and fills in time.t1_seconds, t2_seconds,
/// t3_seconds, time.predicted_total_seconds, backlog.predicted_bytes_peak and results.cost_model
/// (described in README.md); leaves null what was not measured. Fills in nothing if no batch has
/// finished.
/// @param record  Already holds time.total_seconds and backlog.bytes_peak, if they were measured.
void report_costs(const std::vector<train::BatchEvents>& first, const CostContext& context,
                  record::Record& record);

}  // namespace runahead::experiment
