#include "apps/runahead/program_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "support/text_file.h"

namespace runahead::apps {
namespace {

using ::testing::HasSubstr;

class ProgramMeterTest : public ::testing::Test {
 protected:
  ProgramCost run_shell(const std::string& script) { return meter_.run("/bin/sh", {"-c", script}); }

  /// What goes wrong when this runs, in words.
  std::string failure_of_shell(const std::string& script) {
    try {
      run_shell(script);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  ScratchFolder folder_;
  ProgramMeter meter_{folder_.path(), {{"GREETING", "good day"}}};
};

TEST_F(ProgramMeterTest, ReportsWhatAProgramTookAndKeepsTheOutputOfTheLastAlone) {
  run_shell("echo much more than the next one");
  const ProgramCost cost = run_shell("echo \"$GREETING\"");

  EXPECT_EQ(test::read_text(meter_.stdout_path()), "good day\n");
  EXPECT_GT(cost.wall_seconds, 0.0);
  EXPECT_GT(cost.rss_peak_bytes, 0U);
}

TEST_F(ProgramMeterTest, ReportsHowAProgramFailedAndItsLastWords) {
  const std::string code = failure_of_shell("echo one >&2; echo two >&2; exit 3");
  EXPECT_THAT(code, HasSubstr("exit code 3"));
  EXPECT_THAT(code, HasSubstr("two"));
  EXPECT_THAT(failure_of_shell("kill -KILL $$"), HasSubstr("signal 9"));
  EXPECT_THROW(meter_.run("/nowhere/program", {}), Error);
}

TEST_F(ProgramMeterTest, EndsTheProgramWhenInterruptedAndRunsNoOther) {
  const std::string parent = std::to_string(::getpid());
  EXPECT_THROW(run_shell("kill -INT " + parent + "; while :; do sleep 0.01; done"),
               InterruptedError);
  EXPECT_THROW(run_shell("exit 0"), InterruptedError);
}

}  // namespace
}  // namespace runahead::apps
