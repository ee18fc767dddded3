#pragma once

#include <filesystem>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"

namespace runahead::apps {

struct SweepBenchPrograms {
  std::filesystem::path runahead{};
  std::filesystem::path stub_cell{};  ///< A cell that only writes a record.
};

/// The cost of `runahead sweep` beyond its cells, which do nothing: measures whole sweeps, as a
/// user starts them, with a time limit and a memory limit, one job, each in a fresh folder below
/// the system's temporary folder.
///
/// @return For sweeps of `cells` cells, each with _min and _max, in ms per cell:
///         `wall_ms_per_cell`, from the start of the sweep's process to its end;
///         `cells_wall_ms_per_cell`, the part that the sweep attributes to its cells (forks,
///         joining a cgroup, the program); `overhead_ms_per_cell`, the rest; `cell_alone_ms`, the
///         time of the program started without a sweep; `added_ms_per_cell`, the wall time beyond
///         that; the same keys in `without_memory_limit`. In `large`, for one sweep of ten times as
///         many cells, run once: `cells`, `wall_ms_per_cell`, `parent_rss_peak_bytes`; for the same
///         command again, which has nothing left to run, `resume_rss_peak_bytes` and
///         `resume_seconds`; and for writing the script for Slurm `slurm_script_rss_peak_bytes`,
///         which is at least the RSS of this process.
[[nodiscard]] Json bench_sweep(const SweepBenchPrograms& programs, const BenchOptions& options);

/// The result of bench_sweep, as a table.
[[nodiscard]] std::string sweep_bench_table(const Json& figures);

}  // namespace runahead::apps
