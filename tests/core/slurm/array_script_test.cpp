#include "core/slurm/array_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace runahead::slurm {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(ArrayScript, QuotesFolders) {
  ArrayScript odd = script();
  odd.folder = "/runs/50% of it's $HOME";
  const std::string text = text_of(odd);

  EXPECT_THAT(text, HasSubstr("--output=\"/runs/50%% of it's $HOME/task-%a.out\"\n"));
  EXPECT_THAT(text, HasSubstr("sweep '/runs/50% of it'\\''s $HOME/sweep.json' "));
}

TEST(ArrayScript, RejectsAFolderThatSlurmCannotTake) {
  for (const char* name : {"/runs/a\"b", "/runs/a\\b", "/runs/a\nb"}) {
    ArrayScript odd = script();
    odd.folder = name;
    EXPECT_THROW(static_cast<void>(text_of(odd)), ConfigError) << name;
  }
}

TEST(ArrayScript, RoundsLimitsUpAndLeavesAMargin) {
  const auto limits_of = [](double timeout_seconds, std::uint64_t memory_bytes) {
    ArrayScript limited = script();
    limited.needs = {.timeout_seconds = timeout_seconds, .memory_limit_bytes = memory_bytes};
    return text_of(limited);
  };
  EXPECT_THAT(limits_of(50.0, 1 << 20), HasSubstr("--mem=65M\n#SBATCH --time=1\n"));
  EXPECT_THAT(limits_of(51.0, (1 << 20) + 1), HasSubstr("--mem=66M\n#SBATCH --time=2\n"));
  EXPECT_THAT(limits_of(3600.0, std::uint64_t{16} << 30),
              HasSubstr("--mem=18432M\n#SBATCH --time=61\n"));
}

TEST(ArrayScript, AcceptsTheUsersOptionsButNotItsOwn) {
  EXPECT_NO_THROW(require_sbatch_option("--partition=gpu"));
  EXPECT_NO_THROW(require_sbatch_option("--mem=4G"));
  EXPECT_NO_THROW(require_sbatch_option("-p gpu"));
  EXPECT_NO_THROW(require_sbatch_option("-pJack"));
  EXPECT_NO_THROW(require_sbatch_option("--wait-all-nodes=1"));
  for (const char* option : {"", "gpu", "--array=0-3", "-a 0-3", "--output=x", "--job-name=mine",
                             "--partition=gpu\nrm -r /", "-M other", "--test-only"}) {
    EXPECT_THROW(require_sbatch_option(option), ConfigError) << option;
  }
}

TEST(ArrayScript, RecognisesItsOwnOptionsInEverySpelling) {
  for (const char* option : {"-a0-3", "-o/x", "-Jx", "-Ha0-3", "--arr=0-3", "--outp x", "--job=x",
                             "--nice --array=0-3", "-p gpu -a 0-3", "--comment=a b c"}) {
    EXPECT_THROW(require_sbatch_option(option), ConfigError) << option;
  }
}

TEST(ArrayScript, RequestsNoLimitThatTheSweepDoesNotHave) {
  ArrayScript unlimited = script();
  unlimited.needs = {};
  unlimited.at_once.reset();
  const std::string text = text_of(unlimited);

  EXPECT_THAT(text, Not(HasSubstr("--mem")));
  EXPECT_THAT(text, Not(HasSubstr("--time")));
  EXPECT_THAT(text, HasSubstr("--array=0-5\n"));
}

}  // namespace
}  // namespace runahead::slurm
