#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "core/sweep/cell_runner.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"
#include "core/sweep/run_figures.h"

namespace runahead::sweep {

/// The cost of a sweep. With one job, the difference of the wall times is the sweep's overhead.
struct SweepCost {
  std::size_t runs = 0;             ///< Runs that this sweep started.
  double wall_seconds = 0.0;        ///< Wall time of the sweep.
  double cells_wall_seconds = 0.0;  ///< Sum of the wall times of its runs.
};

/// How far a sweep has got.
struct SweepProgress {
  std::size_t done = 0;    ///< Runs that have ended, including those of earlier sweeps.
  std::size_t not_ok = 0;  ///< Of these, those that did not end ok.
  std::size_t total = 0;   ///< Runs in the plan.
};

/// The result of each run of a plan: [cell][repeat], nullopt if it did not run.
struct SweepResult {
  std::vector<std::vector<std::optional<RunFigures>>> runs{};
  bool interrupted = false;
  SweepProgress progress{};
  SweepCost cost{};

  /// Whether every run of the plan ended ok; for a shard's plan, every run of the shard.
  [[nodiscard]] bool all_ok() const {
    return progress.done == progress.total && progress.not_ok == 0;
  }
};

/// What a sweep is doing now.
struct SweepState {
  SweepProgress progress{};
  RunnerActivity activity{};
  std::optional<double> seconds_left{};  ///< seconds_left() of the runs; nullopt: unknown.
};

struct SweepSettings {
  int jobs = 1;                      ///< Most runs at once.
  std::set<record::Status> retry{};  ///< Earlier runs with these statuses are run again.
  /// Called after each record is stored; may be empty.
  std::function<void(const CellResult&, const SweepProgress&)> on_end{};
  /// Called every `look_seconds` while waiting for runs; may be empty.
  std::function<void(const SweepState&)> on_look{};
  double look_seconds = 0.25;
  std::size_t detailed_cells = 5;  ///< Running cells whose memory and progress are shown.
};

/// Whether a run need not be run again: it is recorded, was not interrupted, and its status is not
/// in `retry`.
[[nodiscard]] bool has_ended(const std::optional<RunFigures>& run,
                             const std::set<record::Status>& retry);

/// Runs whatever, according to `store`, has not yet ended with this version of the program. Each
/// record is stored as its run ends, and a run that fails does not stop the others. The runs of
/// cells that cannot run are recorded as skipped before any others run.
/// Blocks until all have ended. If the user interrupts, ends the running ones, stores their records
/// and returns. Keeps the runs' figures in memory, 0.2 KB each, but not the records.
/// @throws Error if a record cannot be stored, UnavailableError if runs cannot be started.
SweepResult run_sweep(const Plan& plan, RecordStore& store, CellRunner& runner,
                      const SweepSettings& settings);

}  // namespace runahead::sweep
