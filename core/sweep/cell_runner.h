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

/// The outcome of one run.
struct CellResult {
  CellJob job{};
  record::Record record{};
  /// False if the user stopped the sweep before the run began; there is then no record.
  bool began = true;
};

/// A run in progress.
struct RunningCell {
  CellJob job{};
  std::optional<double> seconds{};           ///< Since it began; nullopt: unknown.
  std::optional<std::uint64_t> rss_bytes{};  ///< Of its process tree if that is on this machine.
  std::optional<record::CellProgress> progress{};  ///< nullopt: not reported, or not yet.
};

/// What a runner is doing now.
struct RunnerActivity {
  std::vector<RunningCell> running{};  ///< In the order in which they began, where that is known.
  std::size_t waiting = 0;             ///< Runs that were started and wait in a cluster's queue.
  std::string queue{};                 ///< Readable state of that queue; empty: there is none.
};

/// Runs cells outside this process, as children or as jobs of a cluster. Used from one thread.
class CellRunner {
 public:
  virtual ~CellRunner() = default;

  /// Starts a run and returns. `cell` is the cell that `job.cell` refers to; it is not kept.
  /// @throws UnavailableError if runs cannot be started here at all.
  virtual void start(const Cell& cell, const CellJob& job) = 0;

  /// Blocks until a started run has ended, and returns its result; the record says how it ended.
  /// After an interrupt, ends the running ones first. @throws UsageError if nothing is running.
  [[nodiscard]] virtual CellResult wait_any() = 0;

  /// As wait_any(), but blocks for at most that long; nullopt if nothing has ended by then. A
  /// runner that cannot be watched waits until something has ended.
  [[nodiscard]] virtual std::optional<CellResult> wait_any_for(double /*seconds*/) {
    return wait_any();
  }

  /// What runs now. Looks up memory and progress of the first `detailed` running cells, which reads
  /// a few files for each. A runner that cannot be watched reports nothing.
  [[nodiscard]] virtual RunnerActivity activity(std::size_t /*detailed*/) { return {}; }

  /// Called once, when nothing more will be started and everything started has ended, even if
  /// nothing was ever started. May remove leftovers. May block, as may start().
  virtual void finish() {}

  /// Whether the user asked to stop; nothing more is then started.
  [[nodiscard]] virtual bool interrupted() = 0;
};

}  // namespace runahead::sweep
