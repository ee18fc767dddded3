// What every command has in common, and the commands that are not `sweep`.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "core/base/json.h"
#include "program_fixture.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Program : public test::ProgramTest {};

TEST_F(Program, HelpsAndTellsItsVersion) {
  const ProgramEnd help = runahead({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* command :
       {"run", "sweep", "tune", "report", "bench", "validate", "schema", "devices"}) {
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

TEST_F(Program, TellsWhichCommandsThereAre) {
  const ProgramEnd unknown = runahead({"swep"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err,
              AllOf(HasSubstr("'swep'"), HasSubstr("validate"), HasSubstr("nearest: sweep")));
}

TEST_F(Program, BeginsEveryErrorAlike) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"nonsense"},
                                                    {"sweep", "--what"},
                                                    {"validate", "missing.json"},
                                                    {"bench", "nonsense"}}) {
    EXPECT_THAT(runahead(arguments).err, StartsWith("runahead: error: "));
  }
}

TEST_F(Program, TakesAConfigFromAPipe) {
  const std::string config = file("config.json", R"({"experiment": "train", "batches": 7})");
  const auto piped = [&](const std::string& arguments) {
    return test::Program(folder(), "/bin/sh",
                         {"-c", "cat " + config + " | " + RUNAHEAD + " " + arguments}, environment_)
        .wait();
  };

  EXPECT_EQ(Json::parse(piped("validate /dev/stdin").out)["batches"], 7);

  environment_["RUNAHEAD_CELL"] = file("cell", "#!/bin/sh\nexec cat $2\n");
  std::filesystem::permissions(environment_["RUNAHEAD_CELL"], std::filesystem::perms::owner_all);
  EXPECT_EQ(Json::parse(piped("run /dev/stdin").out)["batches"], 7);
}

TEST_F(Program, KeepsSignalsForTheCellUntilItIsLoaded) {
  const std::string config = file("config.json", R"({"experiment": "train"})");
  environment_["RUNAHEAD_CELL"] = file("cell", "#!/bin/sh\nexec grep SigBlk /proc/self/status\n");
  std::filesystem::permissions(environment_["RUNAHEAD_CELL"], std::filesystem::perms::owner_all);
  const std::string line = runahead({"run", config}).out;
  const std::uint64_t blocked = std::stoull(line.substr(line.find(':') + 1), nullptr, 16);

  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    EXPECT_TRUE(blocked >> (signal - 1) & 1U) << signal;
  }
}

TEST_F(Program, ExitsWith130WhenItIsInterrupted) {
  const std::string config = (folder() / "config.json").string();
  ASSERT_EQ(::mkfifo(config.c_str(), 0600), 0);
  ::signal(SIGHUP, SIG_DFL);  // Tests may run under nohup, which programs respect.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    test::Program program(folder(), RUNAHEAD, {"validate", config}, environment_);
    const int writer = ::open(config.c_str(), O_WRONLY);  // Blocks until the program reads.
    program.send(signal);

    EXPECT_EQ(program.wait().exit_code, 130);
    ::close(writer);
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

TEST_F(Program, RefusesWhatTheDeviceCannotRun) {
  const std::string cannot =
      R"({"experiment": "train", "device": "cuda", "cuda": {"copies": "side_reuse"},
          "data": {"prefetch": 64}})";
  const std::string experiment = file("ahead.json", cannot);
  const std::string sweep =
      file("ahead_sweep.json", R"({"base": )" + cannot + R"(, "axes": {"/batches": [1, 2]}})");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"validate", experiment},
        {"validate", sweep},
        {"run", experiment, "--out", out()},
        {"sweep", sweep, "--out", out()}}) {
    const ProgramEnd end = runahead(arguments);
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_THAT(end.err, HasSubstr("/data/prefetch: found 64"));
  }
  EXPECT_FALSE(std::filesystem::exists(out()));
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
  EXPECT_THAT(end.out, HasSubstr("results.dispatch"));
  EXPECT_THAT(end.out, HasSubstr("queued_seconds"));
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

TEST_F(Program, SummarisesRecordsAndBecomesTheReportScript) {
  file("home/scripts/report.py", "");
  file("run/record.json", R"({"schema_version": 1, "status": "ok"})");
  environment_["RUNAHEAD_HOME"] = (folder() / "home").string();
  environment_["RUNAHEAD_PYTHON"] = "/bin/echo";
  const std::string out = (folder() / "charts").string();
  const ProgramEnd end = runahead({"report", (folder() / "run").string(), "--out", out});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.out, (folder() / "home/scripts/report.py").string() + " --summary " + out +
                         "/summary.json --out " + out + "\n");
  EXPECT_EQ(read_json_file(out + "/summary.json")["overview"], "1 run: 1 ok.");
}

TEST_F(Program, PrintsATableOfRecordsWithoutPython) {
  file("run/record.json", R"({"schema_version": 1, "status": "ok"})");
  environment_["RUNAHEAD_PYTHON"] = "/nowhere/python";
  const ProgramEnd end = runahead({"report", "--table", (folder() / "run").string()});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.out, HasSubstr("| run | states |"));
  EXPECT_EQ(runahead({"report", "--table", (folder() / "run/record.json").string()}).exit_code, 2);
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

TEST_F(Program, RefusesToChooseCellsOfABenchmarkWithout) {
  const ProgramEnd end = runahead({"bench", "train", "--only", "mlp"});

  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, AllOf(HasSubstr("--only"), HasSubstr("bench limits")));
}

TEST_F(Program, RefusesToCountTheCellsOfABenchmarkThatRunsNoSweep) {
  const ProgramEnd other = runahead({"bench", "train", "--cells", "3"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("--cells"), HasSubstr("bench sweep")));

  const ProgramEnd too_many = runahead({"bench", "sweep", "--cells", "1001"});
  EXPECT_EQ(too_many.exit_code, 2);
  EXPECT_THAT(too_many.err, AllOf(HasSubstr("1001"), HasSubstr("1 to 1000")));
}

TEST_F(Program, BenchmarksSweepsWithAStubOfItsOwn) {
  environment_["RUNAHEAD_CELL"] = "/nowhere/runahead-cell";
  const ProgramEnd end = runahead({"bench", "sweep", "--json", "--repeats", "2", "--cells", "2"});

  ASSERT_EQ(end.exit_code, 0) << end.err;
  const Json figures = Json::parse(end.out);
  EXPECT_EQ(figures["cells"], 2);
  for (const std::string key : {"wall_ms_per_cell", "cells_wall_ms_per_cell",
                                "overhead_ms_per_cell", "cell_alone_ms", "added_ms_per_cell"}) {
    for (const Json& sweep : {figures, figures["without_memory_limit"]}) {
      EXPECT_LE(sweep.at(key + "_min"), sweep.at(key)) << key;
      EXPECT_LE(sweep.at(key), sweep.at(key + "_max")) << key;
    }
  }
  EXPECT_EQ(figures["large"]["cells"], 20);
  for (const char* key : {"wall_ms_per_cell", "parent_rss_peak_bytes", "resume_rss_peak_bytes",
                          "resume_seconds", "slurm_script_rss_peak_bytes"}) {
    EXPECT_GT(figures["large"].at(key).get<double>(), 0.0) << key;
  }
}

TEST_F(Program, BenchmarksTransfersToACudaDeviceAlone) {
  const std::string devices = R"([{"device": "cuda", "available": false, "what": "no driver"}])";
  environment_["RUNAHEAD_CELL"] = file("cell", "#!/bin/sh\necho '" + devices + "'\n");
  std::filesystem::permissions(environment_["RUNAHEAD_CELL"], std::filesystem::perms::owner_all);
  const ProgramEnd end = runahead({"bench", "transfer"});

  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.err, AllOf(HasSubstr("CUDA device"), HasSubstr("no driver")));
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
