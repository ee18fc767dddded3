// What golden/ cannot hold: a shell that completes, signals, figures that differ.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include "core/base/json.h"
#include "program_fixture.h"

namespace runahead {
namespace {

using test::ProgramEnd;

class Program : public test::ProgramTest {};

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

}  // namespace
}  // namespace runahead
