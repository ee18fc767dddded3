#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "program_runner.h"
#include "support/text_file.h"

namespace runahead::test {

/// Runs `runahead` with the stub in place of `runahead-cell`, in a folder of its own.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramEnd runahead(const std::vector<std::string>& arguments) {
    return Program(folder(), RUNAHEAD, arguments, environment_).wait();
  }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  /// Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) {
    return write_text(folder() / name, content).string();
  }

  /// A sweep over seeds 0 … `cells` - 1 with more keys, `{"repeats": 2}`, merged into it.
  std::string sweep_of_seeds(int cells, const Json& more = Json::object()) {
    Json seeds = Json::array();
    for (int seed = 0; seed < cells; ++seed) seeds.push_back(seed);
    Json sweep = {{"base", {{"experiment", "train"}, {"batches", 3}}},
                  {"axes", {{"/seed", seeds}}}};
    sweep.update(more);
    return file("sweep.json", sweep.dump());
  }

  [[nodiscard]] std::string out() const { return (folder() / "out").string(); }

  std::map<std::string, std::string> environment_{{"RUNAHEAD_CELL", STUB_CELL}};

 private:
  ScratchFolder folder_;
};

}  // namespace runahead::test
