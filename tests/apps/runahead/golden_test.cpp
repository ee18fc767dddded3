// The wording of every command: help texts, refusals, what is printed without a cell. Each file in
// golden/ is a transcript, "$ command", its stdout, its stderr, and "[exit code]" unless that is 0.
// After a change of wording
//   RUNAHEAD_UPDATE_GOLDEN=1 ctest -R Golden
// writes them again: read the diff.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "program_fixture.h"
#include "support/golden.h"

namespace runahead {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(RUNAHEAD_SOURCE_FOLDER) / "tests/apps/runahead/golden";

std::vector<std::string> golden_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden)) names.push_back(entry.path().stem());
  std::ranges::sort(names);
  return names;
}

class Golden : public test::ProgramTest, public ::testing::WithParamInterface<std::string> {
 protected:
  /// The commands of a transcript with what they print now.
  std::string run_again(const std::string& transcript) {
    std::string again;
    std::istringstream lines(transcript);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("$ ")) again += line + "\n" + output_of(line.substr(2));
    }
    return again;
  }

 private:
  std::string output_of(const std::string& command) {
    const std::string script = "cd '" + folder().string() + "'; PATH='" +
                               fs::path(RUNAHEAD).parent_path().string() + "':$PATH; " + command;
    const test::ProgramEnd end = test::Program(folder(), "/bin/sh", {"-c", script}).wait();
    std::string output = end.out + end.err;
    if (!output.empty() && !output.ends_with('\n')) output += '\n';
    for (std::size_t at = 0; (at = output.find(folder().string(), at)) != std::string::npos;) {
      output.replace(at, folder().string().size(), "<folder>");
    }
    output = std::regex_replace(output, std::regex("\"id\":\"[0-9a-f]{64}\""), "\"id\":\"<id>\"");
    return end.exit_code == 0 ? output : output + "[" + std::to_string(end.exit_code) + "]\n";
  }
};

TEST_P(Golden, TranscriptIsWhatTheProgramPrints) {
  const fs::path path = kGolden / (GetParam() + ".txt");
  test::expect_golden(path, run_again(test::read_text(path)));
}

INSTANTIATE_TEST_SUITE_P(Commands, Golden, ::testing::ValuesIn(golden_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace runahead
