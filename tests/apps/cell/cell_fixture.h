#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "apps/runahead/program_runner.h"
#include "core/base/json.h"
#include "core/record/record_file.h"
#include "support/gate.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::test {

/// Runs `runahead-cell` on a small experiment, in a folder of its own.
class CellTest : public ::testing::Test {
 protected:
  /// A config of a small MLP, with `changes` merged into it.
  std::string config(const Json& changes = Json::object()) {
    Json document = {{"experiment", "train"},
                     {"batches", 4},
                     {"model", {{"layers", {8, 1}}}},
                     {"data", {{"features", 4}, {"batch_size", 8}}},
                     {"threads", {{"pin", false}}}};
    document.merge_patch(changes);
    return write_text(folder() / "config.json", dump_json(document)).string();
  }

  [[nodiscard]] Program start(const std::vector<std::string>& arguments) const {
    return Program(folder(), RUNAHEAD_CELL, arguments);
  }
  [[nodiscard]] ProgramEnd cell(const std::vector<std::string>& arguments) const {
    return start(arguments).wait();
  }

  /// Blocks until `is_there()`, which looks at what the program does. @param what  For the failure.
  template <typename Condition>
  static void wait_until(Condition is_there, const std::string& what) {
    const auto deadline = std::chrono::steady_clock::now() + kTestPatience;
    while (!is_there()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << what << " never came";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::string out() const { return (folder() / "out").string(); }
  [[nodiscard]] record::Record record() const {
    return record::read_record(folder() / "out" / "record.json");
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace runahead::test
