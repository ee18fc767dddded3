// How the commands other than `sweep` run; what they print is in golden/.

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
using ::testing::HasSubstr;

class Program : public test::ProgramTest {};

TEST_F(Program, TakesAConfigFromAPipe) {
  const std::string config = file("config.json", R"({"experiment": "train", "batches": 7})");
  const auto piped = [&](const std::string& arguments) {
    return test::Program(folder(), "/bin/sh",
                         {"-c", "cat " + config + " | " + RUNAHEAD + " " + arguments}, environment_)
        .wait();
  };

  environment_["RUNAHEAD_CELL"] = file("cell", "#!/bin/sh\nexec cat $2\n");
  std::filesystem::permissions(environment_["RUNAHEAD_CELL"], std::filesystem::perms::owner_all);
  EXPECT_EQ(Json::parse(piped("run /dev/stdin").out)["batches"], 7);
}

TEST_F(Program, TakesAReadyConfigWhereTheCurrentFolderHasNoneOfThatName) {
  std::filesystem::create_directories(folder() / "home/configs");
  std::filesystem::create_directories(folder() / "home/scripts");
  file("home/scripts/report.py", "");
  file("home/configs/ready.json", R"({"experiment": "train", "batches": 7})");
  environment_["RUNAHEAD_HOME"] = (folder() / "home").string();

  const auto batches = [this] {
    const std::string command =
        "cd " + folder().string() + " && " + RUNAHEAD + " validate configs/ready.json";
    return Json::parse(
        test::Program(folder(), "/bin/sh", {"-c", command}, environment_).wait().out)["batches"];
  };
  EXPECT_EQ(batches(), 7);
  std::filesystem::create_directories(folder() / "configs");
  file("configs/ready.json", R"({"experiment": "train", "batches": 8})");
  EXPECT_EQ(batches(), 8);
}

TEST_F(Program, CompletesCommandsAndOptionsInZsh) {
  const std::string script = file("try.zsh", R"(
zmodload zsh/zpty
for line in 'runahead sw' 'runahead run --tr' 'runahead sweep --retry'; do
  zpty shell 'zsh -f -i'
  zpty -w shell 'autoload -Uz compinit; compinit -D -u; . ./completion'
  zpty -w shell 'try() { zle complete-word; print -r -- $BUFFER >> completed; exit }; zle -N try; bindkey "^I" try'
  zpty -w -n shell "$line"$'\t'
  while zpty -r shell ignored; do :; done
  zpty -d shell
done
)");
  const std::string command =
      "command -v zsh > /dev/null || exit 77; cd " + folder().string() + " && " + RUNAHEAD +
      " completion zsh > completion && TERM=xterm zsh -f " + script + " > /dev/null; cat completed";
  const ProgramEnd end = test::Program(folder(), "/bin/sh", {"-c", command}, environment_).wait();
  if (end.exit_code == 77) GTEST_SKIP() << "no zsh here: apt-get install zsh";
  EXPECT_EQ(end.out, "runahead sweep \nrunahead run --trace \nrunahead sweep --retry=\n")
      << end.err;
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

TEST_F(Program, ExitsWithTheSignalThatInterruptsItAsShellsReportIt) {
  const std::string config = (folder() / "config.json").string();
  ASSERT_EQ(::mkfifo(config.c_str(), 0600), 0);
  ::signal(SIGHUP, SIG_DFL);  // Tests may run under nohup, which programs respect.
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    test::Program program(folder(), RUNAHEAD, {"validate", config}, environment_);
    const int writer = ::open(config.c_str(), O_WRONLY);  // Blocks until the program reads.
    program.send(signal);
    ::close(writer);  // So that the read ends: until then ThreadSanitizer may keep the signal back.

    EXPECT_EQ(program.wait().exit_code, 128 + signal);
  }
}

TEST_F(Program, TakesNoFileForAStandardStreamThatIsClosed) {
  const std::string config =
      file("program.json", R"({"experiment": "program", "command": ["true"]})");
  const std::string grid = sweep_of_seeds(1);
  environment_["STUB_CELL_MODES"] = "ok";
  int run = 0;
  const auto with = [&](const std::string& arguments, const std::string& streams) {
    const std::string folder_of_run = out() + std::to_string(++run);
    return test::Program(folder(), "/bin/sh",
                         {"-c", std::string("exec ") + RUNAHEAD + " " + arguments + " --out " +
                                    folder_of_run + " " + streams},
                         environment_)
        .wait();
  };
  EXPECT_THAT(with("run " + config, ">&-").err,
              HasSubstr("cannot write to stdout: Bad file descriptor"));
  for (const std::string streams : {"2>&-", "<&- >&- 2>&-"}) {
    with("sweep " + grid, streams);
    const std::string lock = test::read_text(out() + std::to_string(run) + "/sweep.lock");
    EXPECT_THAT(lock, ::testing::MatchesRegex("[^ ]+ [0-9]+\n"));
  }
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

TEST_F(Program, DiesOfTheSignalThatTheCellDiesOf) {
  environment_["STUB_CELL_MODES"] = "abort";
  EXPECT_EQ(runahead({"run", file("config.json", R"({"experiment": "train"})")}).exit_code, -1);
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
