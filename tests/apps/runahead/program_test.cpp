// What golden/ cannot hold: a shell that completes, and signals that a shell keeps back.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

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

}  // namespace
}  // namespace runahead
