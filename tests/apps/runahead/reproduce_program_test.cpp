// `runahead reproduce`, with the stub in place of the program that measures.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "core/record/record_file.h"
#include "program_fixture.h"
#include "support/fifo.h"
#include "terminal_program.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Json times(double queued) {
  const auto spread = [](double seconds) {
    return Json{{"median", seconds}, {"min", seconds}, {"max", seconds}, {"count", 7}};
  };
  return {
      {"queued_finished", {{"queued_seconds", spread(queued)}, {"finished_seconds", spread(1)}}}};
}

class ReproduceProgram : public test::ProgramTest {
 protected:
  ReproduceProgram() {
    file("home/scripts/report.py", "");
    std::filesystem::create_directory_symlink(
        std::filesystem::path(RUNAHEAD_SOURCE_FOLDER) / "configs", folder() / "home/configs");
    environment_["RUNAHEAD_HOME"] = (folder() / "home").string();
    environment_["RUNAHEAD_PYTHON"] = "/bin/echo";
    measure(1.0, 0.01);
  }

  /// What part of the time the workload was queued in.
  void measure(double on_cpu, double on_acpu) {
    environment_["STUB_CELL_RESULTS"] =
        Json({{"cpu", times(on_cpu)}, {"acpu", times(on_acpu)}}).dump();
  }

  /// What scripts/baselines/run does; it gets `--out FOLDER` and more.
  void baselines_are(const std::string& commands) {
    const std::string script = file("home/scripts/baselines/run", "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  }

  ProgramEnd reproduce(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"reproduce", "--only", "queued_finished", "--out", out()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runahead(arguments);
  }

  [[nodiscard]] Json document() const {
    return read_json_file(folder() / "out" / "reproduce.json");
  }
};

TEST_F(ReproduceProgram, EndsWellIfAllIsAsExpected) {
  const ProgramEnd end = reproduce();

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(end.out, "✓ 2 of 2 as expected\n");
  EXPECT_EQ(document()["status"], "ok");
  EXPECT_EQ(document()["devices"], (Json{"cpu", "acpu"}));
  EXPECT_EQ(record::read_records(folder() / "out" / "records.jsonl").size(), 2U);
}

TEST_F(ReproduceProgram, ExitsWithFiveIfAnExpectationIsNotMet) {
  measure(1.0, 0.9);
  const ProgramEnd end = reproduce();

  EXPECT_EQ(end.exit_code, 5);
  EXPECT_THAT(end.out,
              AllOf(StartsWith("✗ 1 of 2 as expected\n"),
                    HasSubstr("✗ acpu  fails, NOT AS EXPECTED: queued is 90 % of finished (limit: "
                              "below 5 %): 900 ms of 1.00 s (in 2 of 2 attempts)")));
  EXPECT_EQ(document()["all_met"], false);
}

TEST_F(ReproduceProgram, PrintsWhyARunMeasuredNothing) {
  environment_["STUB_CELL_MODES"] = "failed";
  const ProgramEnd end = reproduce();

  EXPECT_EQ(end.exit_code, 5);
  EXPECT_THAT(
      end.out,
      HasSubstr("✗ acpu  not measured: the run 'queued_finished' is failed: operator 'mm' failed"));
  EXPECT_EQ(document()["runs"][0]["status"], "failed");
}

TEST_F(ReproduceProgram, PrintsOneDocumentWithJson) {
  const ProgramEnd end = reproduce({"--json", "--quick"});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(Json::parse(end.out), document());
  EXPECT_EQ(document()["quick"], true);
}

TEST_F(ReproduceProgram, LetsTheReportScriptDrawThePage) {
  EXPECT_THAT(reproduce().err,
              HasSubstr("results: " + (folder() / "home/scripts/report.py").string() + " " + out() +
                        " --out " + out() + "/report"));
}

TEST_F(ReproduceProgram, RunsTheBaselinesForThePage) {
  baselines_are("echo \"{\\\"sizes\\\": \\\"$3\\\"}\" > $2.json");

  EXPECT_EQ(reproduce({"--baselines", "--quick"}).exit_code, 0);

  EXPECT_EQ(read_json_file(folder() / "out/baselines.json")["sizes"], "--quick");
  EXPECT_EQ(document()["status"], "ok");
}

TEST_F(ReproduceProgram, KeepsItsVerdictsIfABaselineFailsOrNoneIsThere) {
  EXPECT_THAT(reproduce({"--baselines"}).err, HasSubstr("not every baseline was measured"));

  baselines_are("echo 'jax: no memory' >&2; exit 1");
  std::filesystem::remove_all(out());
  const ProgramEnd end = reproduce({"--baselines"});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, HasSubstr("jax: no memory"));
}

TEST_F(ReproduceProgram, IsInterruptedWithTheBaselines) {
  test::Fifo fifo(folder() / "fifo");
  baselines_are("trap 'exit 130' TERM; echo begun > " + (folder() / "fifo").string() +
                "; sleep 100 & wait");
  test::Program program(folder(), RUNAHEAD,
                        {"reproduce", "--only", "queued_finished", "--baselines", "--out", out()},
                        environment_);
  static_cast<void>(fifo.read_line());
  program.send(SIGINT);

  EXPECT_EQ(program.wait().exit_code, 130);
  EXPECT_EQ(document()["status"], "interrupted");
  EXPECT_EQ(document()["all_met"], true);
}

TEST_F(ReproduceProgram, JudgesTheResultsOfTheGpuCheckAsTheDocumentSays) {
  file("gpu/tests.xml", R"(<testsuite tests="3" failures="0" skipped="0"/>)");
  const ProgramEnd end = runahead({"reproduce", "--judge", (folder() / "gpu").string(), "--json"});

  EXPECT_EQ(end.exit_code, 5) << end.err;
  const Json found = Json::parse(end.out);
  EXPECT_EQ(found["devices"], (Json{"cuda"}));
  EXPECT_EQ(found["claims"][0]["id"], "cuda.tests.pass");
  EXPECT_EQ(found["claims"][0]["met"], true);
  EXPECT_EQ(runahead({"reproduce", "--judge", out()}).exit_code, 2);
}

#ifdef REAL_CELL
TEST_F(ReproduceProgram, FindsADeviceThatExecutesAtIssue) {
  environment_["RUNAHEAD_CELL"] = REAL_CELL;
  environment_["RUNAHEAD_BLOCKING"] = "1";
  const ProgramEnd end = reproduce({"--quick"});

  EXPECT_EQ(end.exit_code, 5) << end.err;
  EXPECT_THAT(end.out, AllOf(HasSubstr("✓ cpu   fails, as expected"),
                             HasSubstr("✗ acpu  fails, NOT AS EXPECTED")));
}
#endif

TEST_F(ReproduceProgram, ShowsItsProgressInPlace) {
  environment_["TERM"] = "xterm";
  environment_["STUB_CELL_MODES"] = "gated";
  const std::filesystem::path gate = folder() / "gate";
  environment_["STUB_CELL_GATE"] = gate.string();
  const std::vector<std::string> arguments{"reproduce", "--only", "queued_finished", "--out",
                                           out()};
  test::TerminalProgram program(folder(), 80, RUNAHEAD, arguments, environment_);
  program.read_until("0/2 done; queued_finished on cpu");
  test::write_text(gate, "");
  const ProgramEnd end = program.wait();

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, HasSubstr("1/2 done"));
  // Taken away before anything else is printed.
  EXPECT_THAT(end.err.substr(end.err.rfind("\033[J")), StartsWith("\033[Jresults: "));
}

TEST_F(ReproduceProgram, WritesWhatItHasWhenInterrupted) {
  environment_["STUB_CELL_MODES"] = "graceful";
  test::Fifo fifo(folder() / "fifo");
  environment_["STUB_CELL_FIFO"] = (folder() / "fifo").string();
  test::Program program(folder(), RUNAHEAD,
                        {"reproduce", "--only", "queued_finished", "--out", out()}, environment_);
  static_cast<void>(fifo.read_line());
  program.send(SIGINT);

  EXPECT_EQ(program.wait().exit_code, 130);
  EXPECT_EQ(document()["status"], "interrupted");
}

}  // namespace
}  // namespace runahead
