// What `sweep` and `reproduce` show where stderr is a terminal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "program_fixture.h"
#include "terminal_program.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using test::TerminalProgram;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SweepTerminal : public test::ProgramTest {
 protected:
  SweepTerminal() {
    environment_["TERM"] = "xterm";
    environment_["NO_COLOR"] = "";
    environment_["STUB_CELL_GATE"] = gate_.string();
    environment_["STUB_CELL_PROGRESS"] =
        R"({"seconds": 1, "batches": 3, "batches_issued": 2, "batches_finished": 1})";
  }

  TerminalProgram sweep(const std::string& modes, const std::vector<std::string>& more = {}) {
    environment_["STUB_CELL_MODES"] = modes;
    std::vector<std::string> arguments{"sweep", sweep_of_seeds(2), "--out", out()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {folder(), 80, RUNAHEAD, arguments, environment_};
  }

  void open_gate() const { test::write_text(gate_, ""); }

  const std::filesystem::path gate_ = folder() / "gate";
};

TEST_F(SweepTerminal, ShowsWhatRunsBelowWhatHasEnded) {
  TerminalProgram program = sweep("0=ok,1=gated");
  program.read_until("issued 2/3  finished 1/3  RSS ");
  open_gate();
  const ProgramEnd end = program.wait();

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, HasSubstr("[1/2] \033[32mok\033[0m  seed=0  repeat 0  "));
  EXPECT_THAT(end.err, HasSubstr("1/2 done, 1 running"));
  EXPECT_THAT(end.err, HasSubstr("  seed=1  repeat 0  "));
  EXPECT_THAT(end.err, HasSubstr("[2/2] \033[32mok\033[0m  seed=1  repeat 0  "));
  // Taken away before anything else is printed.
  EXPECT_THAT(end.err.substr(end.err.rfind("\033[J")), ::testing::StartsWith("\033[Jrecords: "));
  EXPECT_THAT(end.out, HasSubstr("seed  states"));
  EXPECT_THAT(end.out, Not(HasSubstr("\033")));
}

TEST_F(SweepTerminal, ReportsOnlyWhatHasEndedWhereTheCursorCannotMove) {
  environment_["TERM"] = "dumb";
  open_gate();
  const ProgramEnd end = sweep("gated").wait();

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, HasSubstr("[2/2] ok  seed=1"));
  EXPECT_THAT(end.err, Not(HasSubstr("\033")));
}

TEST_F(SweepTerminal, ColoursStatesUnlessThatIsNotWanted) {
  open_gate();
  const ProgramEnd end = sweep("0=failed,1=ok", {"--no-color"}).wait();
  EXPECT_THAT(end.err, AllOf(HasSubstr("] failed  seed=0"), HasSubstr("] ok  seed=1")));
  EXPECT_THAT(sweep("failed", {"--fresh"}).wait().err, HasSubstr("] \033[31mfailed\033[0m  seed"));
}

TEST_F(SweepTerminal, LeavesNoProgressOfItsCellsBehind) {
  open_gate();
  EXPECT_EQ(sweep("gated").wait().exit_code, 0);

  for (const auto& entry : std::filesystem::recursive_directory_iterator(out())) {
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("progress")));
  }
}

class ReproduceTerminal : public SweepTerminal {};

TEST_F(ReproduceTerminal, ShowsItsProgressInPlace) {
  environment_["RUNAHEAD_HOME"] = RUNAHEAD_SOURCE_FOLDER;
  environment_["RUNAHEAD_PYTHON"] = "/bin/echo";
  environment_["STUB_CELL_MODES"] = "gated";
  const std::vector<std::string> arguments{"reproduce", "--only", "graph", "--out", out()};
  TerminalProgram program(folder(), 80, RUNAHEAD, arguments, environment_);
  program.read_until("0/4 done; graph.1_worker on cpu");
  open_gate();
  const ProgramEnd end = program.wait();

  EXPECT_THAT(end.err, HasSubstr("1/4 done"));
  // Taken away before anything else is printed.
  EXPECT_THAT(end.err.substr(end.err.rfind("\033[J")), ::testing::StartsWith("\033[Jresults: "));
}

}  // namespace
}  // namespace runahead
