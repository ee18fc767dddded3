#pragma once

#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "core/sweep/cell_runner.h"
#include "core/sweep/earlier_runs.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"
#include "core/sweep/run_figures.h"

namespace runahead::sweep {

/// What a sweep took. With one job, the difference of the wall times is its cost beyond its cells.
struct SweepCost {
  std::size_t runs = 0;             ///< Runs that this sweep started.
  double wall_seconds = 0.0;        ///< Of the sweep.
  double cells_wall_seconds = 0.0;  ///< The sum over its runs.
};

/// How far a sweep is.
struct SweepProgress {
  std::size_t done = 0;    ///< Runs that have ended, those of earlier sweeps included.
  std::size_t not_ok = 0;  ///< Of these, those that did not end ok.
  std::size_t total = 0;   ///< Runs of the plan.
};

/// What is known of each run of a plan: [cell][repeat], nullopt if it did not run.
struct SweepResult {
  std::vector<std::vector<std::optional<RunFigures>>> runs{};
  bool interrupted = false;
  SweepProgress progress{};
  SweepCost cost{};

  /// Whether every run of the plan ended ok; of a shard's plan, every run of the shard.
  [[nodiscard]] bool all_ok() const {
    return progress.done == progress.total && progress.not_ok == 0;
  }
};

/// What a sweep is doing now.
struct SweepState {
  SweepProgress progress{};
  RunnerActivity activity{};
  std::optional<double> seconds_left{};  ///< seconds_left() of the runs; nullopt: not known.
};

struct SweepSettings {
  int jobs = 1;                      ///< Most runs at once.
  std::set<record::Status> retry{};  ///< Earlier runs that ended so are run again.
  /// Called after each record is stored; may be empty.
  std::function<void(const CellResult&, const SweepProgress&)> on_end{};
  /// Called every `look_seconds` while runs are waited for; may be empty.
  std::function<void(const SweepState&)> on_look{};
  double look_seconds = 0.25;
  std::size_t detailed_cells = 5;  ///< Running cells whose memory and progress are shown.
};

/// Whether a run need not be run again: it is recorded, was not interrupted, and its status is none
/// of `retry`.
[[nodiscard]] bool has_ended(const std::optional<RunFigures>& run,
                             const std::set<record::Status>& retry);

/// Runs what, according to `store`, has not yet ended with this version of the program. Each record
/// is stored as its run ends, and a run that fails does not stop the others. The runs of cells that
/// cannot run are recorded as skipped, before any other runs.
/// Blocks until all have ended or the user interrupts: then the running ones are ended, their
/// records stored, and it returns. Memory holds the runs' figures, 0.2 KB each, not the records.
/// @throws Error if a record cannot be stored, UnavailableError if runs cannot be started.
SweepResult run_sweep(const Plan& plan, RecordStore& store, CellRunner& runner,
                      const SweepSettings& settings);

}  // namespace runahead::sweep
