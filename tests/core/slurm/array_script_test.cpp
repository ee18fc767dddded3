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
                     .folder = "/runs/sweep/slurm/0001",
                     .tasks = 20,
                     .at_once = 4};
  script.needs = {.timeout_seconds = 300.0,
                  .memory_limit_bytes = 200'000'000,
                  .cpus = 2,
                  .options = {"--partition=gpu"}};
  return script;
}

TEST(ArrayScript, SaysAllThatAnArrayNeeds) {
  EXPECT_EQ(text_of(script()),
            "#!/bin/bash\n"
            "#SBATCH --job-name=runahead-0123456789ab\n"
            "#SBATCH --array=0-19%4\n"
            "#SBATCH --output=\"/runs/sweep/slurm/0001/task-%a.out\"\n"
            "#SBATCH --open-mode=append\n"
            "#SBATCH --requeue\n"
            "#SBATCH --cpus-per-task=2\n"
            "#SBATCH --mem=255M\n"
            "#SBATCH --time=6\n"
            "#SBATCH --partition=gpu\n"
            "export RUNAHEAD_CELL='/opt/bin/runahead-cell'\n"
            "exec '/opt/bin/runahead' run-cell '/runs/sweep/slurm/0001' "
            "\"$SLURM_ARRAY_TASK_ID\"\n");
}

TEST(ArrayScript, AsksForNoLimitThatTheSweepDoesNotHave) {
  ArrayScript unlimited = script();
  unlimited.needs = {};
  unlimited.at_once.reset();
  const std::string text = text_of(unlimited);

  EXPECT_THAT(text, Not(HasSubstr("--mem")));
  EXPECT_THAT(text, Not(HasSubstr("--time")));
  EXPECT_THAT(text, HasSubstr("--array=0-19\n"));
}

TEST(ArrayScript, QuotesFolders) {
  ArrayScript odd = script();
  odd.folder = "/runs/50% of it's $HOME";
  const std::string text = text_of(odd);

  EXPECT_THAT(text, HasSubstr("--output=\"/runs/50%% of it's $HOME/task-%a.out\"\n"));
  EXPECT_THAT(text, HasSubstr("run-cell '/runs/50% of it'\\''s $HOME' "));
}

TEST(ArrayScript, RefusesAFolderThatSlurmCannotTake) {
  for (const char* name : {"/runs/a\"b", "/runs/a\\b", "/runs/a\nb"}) {
    ArrayScript odd = script();
    odd.folder = name;
    EXPECT_THROW(static_cast<void>(text_of(odd)), ConfigError) << name;
  }
}

TEST(ArrayScript, RoundsLimitsUpAndLeavesAMargin) {
  EXPECT_EQ(time_limit_minutes(0.5), 1);
  EXPECT_EQ(time_limit_minutes(50.0), 1);
  EXPECT_EQ(time_limit_minutes(51.0), 2);
  EXPECT_EQ(time_limit_minutes(3600.0), 61);
  EXPECT_EQ(memory_mebibytes(std::uint64_t{1} << 20), 65U);
  EXPECT_EQ(memory_mebibytes((std::uint64_t{1} << 20) + 1), 66U);
  EXPECT_EQ(memory_mebibytes(std::uint64_t{512} << 20), 576U);
  EXPECT_EQ(memory_mebibytes(std::uint64_t{16} << 30), 18U * 1024U);
}

TEST(ArrayScript, TakesOptionsOfTheUsersButNotItsOwn) {
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

TEST(ArrayScript, KnowsItsOwnOptionsHoweverTheyAreWritten) {
  for (const char* option : {"-a0-3", "-o/x", "-Jx", "-Ha0-3", "--arr=0-3", "--outp x", "--job=x",
                             "--nice --array=0-3", "-p gpu -a 0-3", "--comment=a b c"}) {
    EXPECT_THROW(require_sbatch_option(option), ConfigError) << option;
  }
}

}  // namespace
}  // namespace runahead::slurm
