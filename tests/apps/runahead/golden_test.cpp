#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "program_fixture.h"
#include "support/golden.h"

namespace runahead {
namespace {

// What every command prints: help texts, refusals, and whole runs with the stub in place of the
// program that measures. Each file in golden/ is a transcript: "$ command", more lines of it after
// "> ", its stdout, its stderr, and "[exit code]" unless that is 0. Its commands run one after
// another in one folder. What differs from run to run is <id>, <time>, <bytes> or <folder>. $PICK
// prints parts of JSON files, $TERMINAL runs a command on a terminal. After a change of wording
//   RUNAHEAD_UPDATE_GOLDEN=1 ctest -R Golden
// writes them again: read the diff.

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(RUNAHEAD_SOURCE_FOLDER) / "tests/apps/runahead/golden";

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden)) names.push_back(entry.path().stem());
#ifndef REAL_CELL
  std::erase_if(names, [](const std::string& name) { return name.starts_with("cell"); });
#endif
  std::ranges::sort(names);
  return names;
}

class Golden : public test::ProgramTest, public ::testing::WithParamInterface<std::string> {
 protected:
  Golden() {
    environment_["PROJECT"] = RUNAHEAD_SOURCE_FOLDER;
    environment_["PICK"] = "python3 " RUNAHEAD_SOURCE_FOLDER "/tests/apps/runahead/pick.py";
    environment_["TERMINAL"] = "python3 " RUNAHEAD_SOURCE_FOLDER "/tests/apps/runahead/terminal.py";
#ifdef REAL_CELL
    environment_["REAL_CELL"] = REAL_CELL;
#endif
  }

  /// The commands of a transcript with what they print now.
  std::string run_again(const std::string& transcript) {
    std::string again;
    std::istringstream lines(transcript);
    std::string command;
    for (std::string line; std::getline(lines, line);) {
      const bool continues = !command.empty() && line.starts_with("> ");
      if (!continues) again += output_of(std::exchange(command, ""));
      if (!continues && !line.starts_with("$ ")) continue;
      again += line + "\n";
      command += line.substr(2) + "\n";
    }
    return again + output_of(command);
  }

 private:
  std::string output_of(const std::string& command) {
    if (command.empty()) return "";
    const std::string script = "cd '" + folder().string() + "'; PATH='" +
                               fs::path(RUNAHEAD).parent_path().string() + "':$PATH; " + command;
    const test::ProgramEnd end =
        test::Program(folder(), "/bin/sh", {"-c", script}, environment_).wait();
    std::string output = end.out + end.err;
    if (!output.empty() && !output.ends_with('\n')) output += '\n';
    for (std::size_t at = 0; (at = output.find(folder().string(), at)) != std::string::npos;) {
      output.replace(at, folder().string().size(), "<folder>");
    }
    for (const auto& [varying, name] : {std::pair("\\b[0-9a-f]{64}\\b", "<id>"),
                                        {"(repeat \\d+  |left: about )[0-9.]+ m?s\\b", "$1<time>"},
                                        {"(_seconds\":)[0-9][0-9.e-]*", "$1<time>"},
                                        {"(_bytes\":)[0-9]+", "$1<bytes>"}}) {
      output = std::regex_replace(output, std::regex(varying), name);
    }
    return end.exit_code == 0 ? output : output + "[" + std::to_string(end.exit_code) + "]\n";
  }
};

TEST_P(Golden, TranscriptIsWhatTheProgramPrints) {
  const fs::path path = kGolden / (GetParam() + ".txt");
  test::expect_golden(path, run_again(test::read_text(path)));
}

INSTANTIATE_TEST_SUITE_P(Commands, Golden, ::testing::ValuesIn(golden_names()),
                         [](const auto& name) { return name.param; });

// What golden/ cannot hold: a shell that completes, and signals that a shell keeps back.

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
