#include "core/sweep/program_caller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"

namespace runahead::sweep {
namespace {

using ::testing::HasSubstr;

class ProgramCallerTest : public ::testing::Test {
 protected:
  std::string shell(const std::string& script) { return caller_.call("/bin/sh", {"-c", script}); }

  runahead::test::TemporaryFolder folder_;
  ProgramCaller caller_{folder_.path()};
};

TEST_F(ProgramCallerTest, ReturnsWhatEachCallPrinted) {
  EXPECT_EQ(shell("echo one; echo noise >&2"), "one\n");
  EXPECT_EQ(shell("echo two"), "two\n");
}

TEST_F(ProgramCallerTest, ReportsTheLastWordsOfAProgramThatFailed) {
  const std::string message = runahead::test::error_message<Error>(
      [&] { static_cast<void>(shell("echo why >&2; exit 3")); });

  EXPECT_THAT(message, HasSubstr("exit code 3"));
  EXPECT_THAT(message, HasSubstr("why"));
}

TEST_F(ProgramCallerTest, ReportsTheSignalThatEndedAProgram) {
  EXPECT_THAT(
      runahead::test::error_message<Error>([&] { static_cast<void>(shell("kill -SEGV $$")); }),
      HasSubstr("signal 11"));
}

TEST_F(ProgramCallerTest, RefusesAProgramThatIsNotThere) {
  EXPECT_THROW(static_cast<void>(caller_.call("/nowhere/program", {})), UnavailableError);
}

TEST_F(ProgramCallerTest, EndsTheChildOnAnInterruptAndStartsNoOther) {
  const std::string interrupt = "kill -INT " + std::to_string(::getpid());

  EXPECT_THROW(static_cast<void>(shell(interrupt + "; exec sleep 600")), InterruptedError);
  EXPECT_THROW(static_cast<void>(shell("true")), InterruptedError);
}

}  // namespace
}  // namespace runahead::sweep
