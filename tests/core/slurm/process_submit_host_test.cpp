#include "core/slurm/process_submit_host.h"

#include <gtest/gtest.h>
#include <signal.h>

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
