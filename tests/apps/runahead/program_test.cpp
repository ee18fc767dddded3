// What every command has in common, and the commands that are not `sweep`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/base/json.h"
#include "program_fixture.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Program : public test::ProgramTest {};

TEST_F(Program, HelpsAndTellsItsVersion) {
  const ProgramEnd help = runahead({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command : {"run", "sweep", "report", "bench", "validate", "schema", "devices"}) {
    EXPECT_THAT(help.out, HasSubstr(command));
  }
  EXPECT_EQ(runahead({"sweep", "--help"}).exit_code, 0);
  const ProgramEnd version = runahead({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, StartsWith("runahead "));
}

TEST_F(Program, RefusesAWrongCommandLine) {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"nonsense"},
                                                    {"run"},
                                                    {"sweep", "--what"},
                                                    {"run", "a.json", "b.json"},
                                                    {"sweep", "a.json", "--jobs", "many"}};
  for (const auto& arguments : wrong) {
    const ProgramEnd end = runahead(arguments);
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_EQ(end.out, "");
    EXPECT_NE(end.err, "");
  }
}

TEST_F(Program, ValidatesAnExperiment) {
  const std::string config = file("config.json", R"({"experiment": "train", "batches": 7})");
  const ProgramEnd end = runahead({"validate", config, "--set", "/sync/policy=none"});

  EXPECT_EQ(end.exit_code, 0);
  const Json resolved = Json::parse(end.out);
  EXPECT_EQ(resolved["batches"], 7);
  EXPECT_EQ(resolved["sync"]["policy"], "none");
  EXPECT_EQ(resolved["data"]["batch_size"], 1024);
}

TEST_F(Program, ValidatesASweep) {
  const ProgramEnd end = runahead({"validate", sweep_of_seeds(2)});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(Json::parse(end.out)["jobs"], 1);
}

TEST_F(Program, TellsWhatIsWrongWithAConfig) {
  const std::string config = file("config.json", R"({"experiment": "train", "bathces": 7})");
  const ProgramEnd end = runahead({"validate", config});

  EXPECT_EQ(end.exit_code, 2);
  EXPECT_EQ(end.out, "");
  EXPECT_THAT(end.err, HasSubstr("bathces"));
  EXPECT_THAT(end.err, HasSubstr("batches"));
  EXPECT_EQ(runahead({"validate", (folder() / "missing.json").string()}).exit_code, 2);
}

TEST_F(Program, PrintsSchemas) {
  EXPECT_TRUE(Json::parse(runahead({"schema"}).out)["properties"].contains("experiment"));
  EXPECT_TRUE(Json::parse(runahead({"schema", "sweep"}).out)["properties"].contains("axes"));
  EXPECT_EQ(runahead({"schema", "nonsense"}).exit_code, 2);
}

TEST_F(Program, ListsExperimentKinds) {
  const ProgramEnd end = runahead({"experiments"});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, HasSubstr("train"));
}

TEST_F(Program, BecomesTheCellToRunAnExperiment) {
  const std::string config = file("config.json", R"({"experiment": "train"})");
  std::filesystem::create_directories(out());
  environment_["STUB_CELL_MODES"] = "ok";
  const ProgramEnd end = runahead({"run", config, "--out", out()});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, HasSubstr("the stub's table"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "out" / "record.json"));
}

TEST_F(Program, PassesTheOptionsOfARunOn) {
  const std::string config = file("config.json", R"({"experiment": "train"})");
  environment_["RUNAHEAD_CELL"] = "/bin/echo";
  const ProgramEnd end = runahead({"run", config, "--set", "/batches=3", "--set=/seed=4", "--out",
                                   "o", "--trace", "--json", "--progress"});

  EXPECT_EQ(end.out, "run " + config +
                         " --set /batches=3 --set /seed=4 --out o --trace --json --progress\n");
}

TEST_F(Program, ExitsAsTheCellDoes) {
  const std::string config = file("config.json", R"({"experiment": "train"})");
  for (const auto& [mode, code] :
       std::map<std::string, int>{{"exit1", 1}, {"exit3", 3}, {"exit130", 130}, {"abort", -1}}) {
    environment_["STUB_CELL_MODES"] = mode;
    EXPECT_EQ(runahead({"run", config}).exit_code, code) << mode;
  }
}

TEST_F(Program, StartsNoCellForAWrongConfig) {
  const std::string config = file("config.json", R"({"experiment": "train", "batches": -1})");
  environment_["RUNAHEAD_CELL"] = "/bin/echo";
  const ProgramEnd end = runahead({"run", config, "--out", out()});

  EXPECT_EQ(end.exit_code, 2);
  EXPECT_EQ(end.out, "");
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(Program, TellsThatTheCellProgramIsMissing) {
  const std::string config = file("config.json", R"({"experiment": "train"})");
  environment_["RUNAHEAD_CELL"] = "/nowhere/runahead-cell";
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"run", config},
                                                    {"devices"},
                                                    {"sweep", sweep_of_seeds(1)},
                                                    {"bench", "train"}}) {
    const ProgramEnd end = runahead(arguments);
    EXPECT_EQ(end.exit_code, 3);
    EXPECT_THAT(end.err, HasSubstr("RUNAHEAD_CELL"));
  }
}

TEST_F(Program, AsksTheCellForDevices) {
  environment_["RUNAHEAD_CELL"] = "/bin/echo";

  EXPECT_EQ(runahead({"devices", "--json"}).out, "devices --json\n");
}

TEST_F(Program, BecomesTheReportScript) {
  file("home/scripts/report.py", "");
  environment_["RUNAHEAD_HOME"] = (folder() / "home").string();
  environment_["RUNAHEAD_PYTHON"] = "/bin/echo";
  const ProgramEnd end = runahead({"report", folder().string(), "--out", "charts"});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.out, (folder() / "home/scripts/report.py").string() + " " + folder().string() +
                         " --out charts\n");
}

TEST_F(Program, TellsWhatAReportNeeds) {
  environment_["RUNAHEAD_PYTHON"] = "/nowhere/python";
  const ProgramEnd no_script = [&] {
    environment_["RUNAHEAD_HOME"] = "/nowhere";
    return runahead({"report", folder().string()});
  }();
  EXPECT_EQ(no_script.exit_code, 3);
  EXPECT_THAT(no_script.err, HasSubstr("RUNAHEAD_HOME"));

  file("home/scripts/report.py", "");
  environment_["RUNAHEAD_HOME"] = (folder() / "home").string();
  const ProgramEnd no_python = runahead({"report", folder().string()});
  EXPECT_EQ(no_python.exit_code, 3);
  EXPECT_THAT(no_python.err, HasSubstr("scripts/setup"));

  EXPECT_EQ(runahead({"report", "/nowhere"}).exit_code, 2);
}

TEST_F(Program, RefusesBenchmarksItDoesNotHave) {
  const ProgramEnd end = runahead({"bench", "nonsense"});

  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("train"));
}

TEST_F(Program, BenchmarksTraining) {
  const ProgramEnd end = runahead({"bench", "train", "--json", "--repeats", "1"});

  EXPECT_EQ(end.exit_code, 0);
  const Json figures = Json::parse(end.out);
  EXPECT_EQ(figures["benchmark"], "train");
  EXPECT_EQ(figures["mlp"]["cpu"]["examples_per_second"], 1000.0);
  EXPECT_EQ(figures["slow_source"]["small"]["acpu"]["window2_over_cpu"], 1.0);
}

}  // namespace
}  // namespace runahead
