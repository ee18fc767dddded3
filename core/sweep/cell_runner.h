#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/cell_progress.h"
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

/// A run that is under way.
struct RunningCell {
  CellJob job{};
  std::optional<double> seconds{};           ///< Since it began; nullopt: not known.
  std::optional<std::uint64_t> rss_bytes{};  ///< Of its process tree where that is on this machine.
  std::optional<record::CellProgress> progress{};  ///< nullopt: it reports none, or none yet.
};

/// What a runner is doing now.
struct RunnerActivity {
  std::vector<RunningCell> running{};  ///< Those that began first come first, where that is known.
  std::size_t waiting = 0;             ///< Runs that were started and wait in a cluster's queue.
  std::string queue{};                 ///< What that queue says, for people; empty: there is none.
};

/// Runs cells somewhere else than in this process: as a child, or as a job of a cluster. Used from
/// one thread.
class CellRunner {
 public:
  virtual ~CellRunner() = default;

  /// Starts a run and returns. `cell` is what `job.cell` refers to; it is not kept.
  /// @throws UnavailableError if runs cannot be started here at all.
  virtual void start(const Cell& cell, const CellJob& job) = 0;

  /// Blocks until a started run has ended, and returns it; its record says how it ended. After an
  /// interrupt the running ones are ended first. @throws UsageError if nothing is running.
  [[nodiscard]] virtual CellResult wait_any() = 0;

  /// The same, but blocks for that long at most; nullopt: nothing has ended until then. A runner
  /// that cannot be watched waits until something has.
  [[nodiscard]] virtual std::optional<CellResult> wait_any_for(double /*seconds*/) {
    return wait_any();
  }

  /// What runs now. Of the first `detailed` running cells memory and progress are looked up, which
  /// reads some files for each. A runner that cannot be watched reports nothing.
  [[nodiscard]] virtual RunnerActivity activity(std::size_t /*detailed*/) { return {}; }

  /// Called once, when nothing more will be started and everything started has ended, even if
  /// nothing was ever started. Leftovers can be removed. May block, as start() may.
  virtual void finish() {}

  /// Whether the user asked to stop; then nothing more is started.
  [[nodiscard]] virtual bool interrupted() = 0;
};

}  // namespace runahead::sweep
