#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"

namespace runahead::apps {

struct SweepBenchPrograms {
  std::filesystem::path runahead{};
  std::filesystem::path stub_cell{};  ///< A cell that only writes a record.
};

/// What `runahead sweep` costs beyond its cells, which do nothing: whole sweeps, as a user starts
/// them, with a time limit and a memory limit, one job, each in a fresh folder below the system's
/// temporary one.
///
/// @return Of sweeps of `cells` cells, each with _min and _max, in ms a cell: `wall_ms_per_cell`,
///         from the start of the sweep's process to its end; `cells_wall_ms_per_cell`, the part
///         that the sweep counts as its cells' (forks, joining a cgroup, the program);
///         `overhead_ms_per_cell`, the rest; `cell_alone_ms`, of the program started without a
///         sweep, and `added_ms_per_cell`, the wall time beyond that; the same keys in
///         `without_memory_limit`. Of one sweep of ten times as many, once, `large`: `cells`,
///         `wall_ms_per_cell`, `parent_rss_peak_bytes`; then of the same command again, which has
///         nothing left to run, `resume_rss_peak_bytes` and `resume_seconds`; and of writing the
///         script for Slurm `slurm_script_rss_peak_bytes`, which is no less than this process had.
[[nodiscard]] Json bench_sweep(const SweepBenchPrograms& programs, const BenchOptions& options);

/// What bench_sweep returned, as a table.
[[nodiscard]] std::string sweep_bench_table(const Json& figures);

}  // namespace runahead::apps
