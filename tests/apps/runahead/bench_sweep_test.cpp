#include "apps/runahead/bench_sweep.h"

#include <gtest/gtest.h>

#include "support/golden.h"

namespace runahead::apps {
namespace {

TEST(BenchSweep, ShowsItsFiguresInATable) {
  const std::string table = sweep_bench_table(
      {{"cells", 1000},
       {"wall_ms_per_cell", 12.5},
       {"wall_ms_per_cell_min", 11.0},
       {"wall_ms_per_cell_max", 14.0},
       {"cells_wall_ms_per_cell", 9.5},
       {"cells_wall_ms_per_cell_min", 9.0},
       {"cells_wall_ms_per_cell_max", 10.0},
       {"overhead_ms_per_cell", 3.0},
       {"overhead_ms_per_cell_min", 2.0},
       {"overhead_ms_per_cell_max", 4.0},
       {"added_ms_per_cell", 5.5},
       {"added_ms_per_cell_min", 5.0},
       {"added_ms_per_cell_max", 6.0},
       {"without_memory_limit",
        {{"wall_ms_per_cell", 7.5}, {"wall_ms_per_cell_min", 7.0}, {"wall_ms_per_cell_max", 8.0}}},
       {"large",
        {{"cells", 10'000},
         {"wall_ms_per_cell", 12.25},
         {"parent_rss_peak_bytes", 15'000'000},
         {"resume_rss_peak_bytes", 16'000'000},
         {"resume_seconds", 1.5},
         {"slurm_script_rss_peak_bytes", 17'000'000}}}});

  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/bench_sweep.txt", table);
}

}  // namespace
}  // namespace runahead::apps
