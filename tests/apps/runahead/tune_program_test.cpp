// `runahead tune`, with the stub in place of the program that trains: every run of it has the same
// throughput and counts no bytes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "core/record/record_file.h"
#include "program_fixture.h"
#include "support/fifo.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TuneProgram : public test::ProgramTest {
 protected:
  TuneProgram() {
    file("home/scripts/report.py", "");
    environment_["RUNAHEAD_HOME"] = (folder() / "home").string();
    environment_["RUNAHEAD_PYTHON"] = "/bin/echo";
  }

  std::string config(const Json& more = Json::object()) {
    Json config = {{"experiment", "train"}, {"batches", 30}};
    config.update(more);
    return file("config.json", config.dump());
  }

  [[nodiscard]] Json tune_json() const { return read_json_file(folder() / "out" / "tune.json"); }
};

TEST_F(TuneProgram, PrintsTheSmallestRunAheadAndWritesIt) {
  const ProgramEnd end = runahead({"tune", config(), "--out", out()});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, AllOf(HasSubstr("smallest window: 1 batch"),
                             HasSubstr("\"sync\": {\"policy\": \"window\", \"batches\": 1}")));
  EXPECT_EQ(tune_json()["status"], "ok");
  EXPECT_EQ(tune_json()["window"]["smallest"], 1);
  EXPECT_EQ(record::read_records(folder() / "out" / "records.jsonl").size(), 8U);
}

TEST_F(TuneProgram, PrintsOneDocumentWithJson) {
  const ProgramEnd end = runahead(
      {"tune", config(), "--json", "--target", "0.9", "--set", "/batches=7", "--out", out()});

  EXPECT_EQ(end.exit_code, 0);
  const Json printed = Json::parse(end.out);
  EXPECT_EQ(printed, tune_json());
  EXPECT_EQ(printed["target"], 0.9);
  EXPECT_EQ(printed["config"]["batches"], 7);
}

TEST_F(TuneProgram, LetsTheReportScriptDrawTheChart) {
  EXPECT_THAT(runahead({"tune", config(), "--out", out()}).err,
              HasSubstr("chart: " + (folder() / "home/scripts/report.py").string() + " " + out() +
                        " --out " + out()));
}

TEST_F(TuneProgram, KeepsItsResultsWhereNoChartCanBeDrawn) {
  environment_["RUNAHEAD_PYTHON"] = "/nowhere/python";
  const ProgramEnd end = runahead({"tune", config(), "--out", out()});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, HasSubstr("the charts could not be drawn"));
  EXPECT_EQ(tune_json()["status"], "ok");
}

TEST_F(TuneProgram, FailsIfItsRunsDo) {
  environment_["STUB_CELL_MODES"] = "failed";
  const ProgramEnd failed = runahead({"tune", config(), "--out", out()});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("operator 'mm' failed"));

  environment_["STUB_CELL_MODES"] = "exit3";
  EXPECT_EQ(runahead({"tune", config(), "--out", out()}).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(TuneProgram, KeepsWhatItMeasuredWhenItIsInterrupted) {
  // Two runs before the pairs, one pair, and the first run of the next; the one after that hangs.
  test::Fifo fifo(folder() / "fifo");
  environment_["STUB_CELL_FIFO"] = fifo.path().string();
  const std::string runs = file("runs", "");
  environment_["RUNAHEAD_CELL"] =
      file("cell", "#!/bin/sh\necho run >> " + runs + "\n[ $(wc -l < " + runs +
                       ") -gt 5 ] && export STUB_CELL_MODES=hang\nexec " + STUB_CELL + " \"$@\"\n");
  std::filesystem::permissions(environment_["RUNAHEAD_CELL"], std::filesystem::perms::owner_all);
  test::Program tune(folder(), RUNAHEAD, {"tune", config(), "--out", out()}, environment_);
  for (int run = 0; run < 6; ++run) static_cast<void>(fifo.read_line());
  tune.send(SIGINT);
  const ProgramEnd end = tune.wait();

  EXPECT_EQ(end.exit_code, 130);
  EXPECT_EQ(tune_json()["status"], "interrupted");
  EXPECT_EQ(tune_json()["candidates"][0]["runs"], 1);
  EXPECT_EQ(tune_json()["window"], nullptr);
  EXPECT_THAT(end.out, AllOf(HasSubstr("window 1"), Not(HasSubstr("smallest window"))));
  EXPECT_THAT(end.err, Not(HasSubstr("chart:")));
}

}  // namespace
}  // namespace runahead
