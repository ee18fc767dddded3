#include "core/slurm/array_script.h"

#include <gtest/gtest.h>

namespace runahead::slurm {
namespace {

ArrayScript script() {
  ArrayScript script{.name = "runahead-0123456789ab",
                     .runahead = "/opt/bin/runahead",
                     .cell_program = "/opt/bin/runahead-cell",
                     .sweep_folder = "/runs/sweep",
                     .folder = "/runs/sweep/slurm/0001",
                     .shards = {0, 1, 2, 7, 9, 10},
                     .shard_count = 12,
                     .at_once = 4,
                     .arguments = {"--retry=failed"}};
  script.needs = {.timeout_seconds = 300.0,
                  .memory_limit_bytes = 200'000'000,
                  .cpus = 2,
                  .options = {"--partition=gpu"}};
  return script;
}

// Limits, options and quoting are in tests/apps/runahead/golden/sweep.txt.
TEST(ArrayScript, ListsWhatAnArrayNeeds) {
  EXPECT_EQ(
      text_of(script()),
      "#!/bin/bash\n"
      "#SBATCH --job-name=runahead-0123456789ab\n"
      "#SBATCH --array=0-5%4\n"
      "#SBATCH --output=\"/runs/sweep/slurm/0001/task-%a.out\"\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --requeue\n"
      "#SBATCH --cpus-per-task=2\n"
      "#SBATCH --mem=255M\n"
      "#SBATCH --time=6\n"
      "#SBATCH --partition=gpu\n"
      "export RUNAHEAD_CELL='/opt/bin/runahead-cell'\n"
      "shards=({0..2} 7 {9..10})\n"
      "exec '/opt/bin/runahead' sweep '/runs/sweep/slurm/0001/sweep.json' --out "
      "'/runs/sweep' --jobs 1 --retry=failed --shard \"${shards[$SLURM_ARRAY_TASK_ID]}/12\"\n");
}

}  // namespace
}  // namespace runahead::slurm
