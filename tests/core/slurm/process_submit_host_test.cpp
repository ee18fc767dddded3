#include "core/slurm/process_submit_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include "core/base/scratch_folder.h"

namespace runahead::slurm {
namespace {

class ProcessSubmitHostTest : public ::testing::Test {
 protected:
  ScratchFolder scratch_;
  ProcessSubmitHost host_{scratch_.path() / "commands"};
};

TEST_F(ProcessSubmitHostTest, ReportsACommandEndedByASignal) {
  EXPECT_EQ(host_.call({"sh", "-c", "kill -9 $$"}).exit_code, -1);
}

TEST_F(ProcessSubmitHostTest, AnAnswerThatIsNotWholeIsNone) {
  const auto answer_of = [&](const char* bytes) {
    return host_.call({"sh", "-c", std::string("head -c ") + bytes + " /dev/zero"});
  };
  EXPECT_EQ(answer_of("500000").out.size(), 500'000U) << "5,000 tasks";
  EXPECT_EQ(answer_of("600000").exit_code, -1);
  for (const char* log : {"stdout.txt", "stderr.txt"}) {
    const std::filesystem::path path = scratch_.path() / "commands" / log;
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    EXPECT_THAT(answer_of("1").err, ::testing::HasSubstr("is the disk full?"));
    std::filesystem::remove(path);
  }
}

TEST_F(ProcessSubmitHostTest, RunsCommandsWithoutVariablesThatOverrideTheLauncher) {
  for (const char* name : {"SQUEUE_USERS", "SCANCEL_STATE", "SBATCH_WAIT", "SLURM_CLUSTERS",
                           "SBATCH_ARRAY_INX", "SBATCH_PARTITION", "SLURM_CONF"}) {
    ::setenv(name, "found", 1);
  }
  const std::string kept = host_.call({"sh", "-c", "env | grep =found | sort"}).out;

  EXPECT_EQ(kept, "SBATCH_PARTITION=found\nSLURM_CONF=found\n");
}

TEST_F(ProcessSubmitHostTest, AnInterruptEndsAWaitAndNoCommand) {
  EXPECT_FALSE(host_.interrupted());
  ::raise(SIGINT);
  host_.wait(3600.0);

  EXPECT_TRUE(host_.interrupted());
  EXPECT_EQ(host_.call({"sh", "-c", "echo still"}).out, "still\n");
}

TEST_F(ProcessSubmitHostTest, WaitsAgainAfterAnInterrupt) {
  ::raise(SIGTERM);
  EXPECT_TRUE(host_.interrupted());
  const double start = host_.now_seconds();
  host_.wait(0.05);

  EXPECT_GE(host_.now_seconds() - start, 0.05);
}

}  // namespace
}  // namespace runahead::slurm
