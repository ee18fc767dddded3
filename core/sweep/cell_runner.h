#pragma once

#include <cstdint>

#include "core/record/record.h"
#include "core/sweep/plan.h"

namespace runahead::sweep {

/// What became of one run.
struct CellResult {
  CellJob job{};
  record::Record record{};
  /// False: the user stopped the sweep before it began, and there is no record.
  bool began = true;
};

/// Runs cells somewhere else than in this process: as a child, or as a job of a cluster. Used from
/// one thread.
class CellRunner {
 public:
  virtual ~CellRunner() = default;

  /// Starts a run and returns. `cell` is what `job.cell` refers to; it is not kept.
  /// @throws UnavailableError if runs cannot be started here at all.
  virtual void start(const Cell& cell, const CellJob& job) = 0;

  /// Blocks until a started run has ended, and returns it; its record tells how it ended. After an
  /// interrupt the running ones are ended first. @throws UsageError if nothing is running.
  [[nodiscard]] virtual CellResult wait_any() = 0;

  /// Called once, when nothing more is started and all that was started has ended, though nothing
  /// may have been: what is left over can go. May block as starting does.
  virtual void finish() {}

  /// Whether the user asked to stop; then nothing more is started.
  [[nodiscard]] virtual bool interrupted() = 0;
};

}  // namespace runahead::sweep
