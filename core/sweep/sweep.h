#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/sweep/cell_runner.h"
#include "core/sweep/earlier_runs.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"
#include "core/sweep/run_figures.h"

namespace runahead::sweep {

/// What is known of each run of a plan: [cell][repeat], nullopt if it did not run.
struct SweepResult {
  std::vector<std::vector<std::optional<RunFigures>>> runs{};
  bool interrupted = false;

  /// Whether every run of the plan ended ok.
  [[nodiscard]] bool all_ok() const;
};

/// What a sweep tells while it runs.
struct SweepProgress {
  const CellResult& result;
  std::size_t done = 0;   ///< Runs that have ended, those of earlier sweeps included.
  std::size_t total = 0;  ///< Runs of the plan.
};

/// Runs what `store` does not already hold with status ok, of this version of the program, at most
/// `jobs` at a time; each record is stored as its run ends, and a run that fails stops no other.
/// The runs of cells that cannot run are recorded as skipped, before any other runs.
/// Blocks until all have ended or the user interrupts: then the running ones are ended, their
/// records stored, and it returns. Figures are kept of the runs, not records: 0.2 KB each.
/// @param on_end  Called after each record is stored; may be empty.
/// @throws Error if a record cannot be stored, UnavailableError if runs cannot be started.
SweepResult run_sweep(const Plan& plan, RecordStore& store, CellRunner& runner, int jobs,
                      const std::function<void(const SweepProgress&)>& on_end);

}  // namespace runahead::sweep
