#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/runahead/program_runner.h"
#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "core/record/record_file.h"
#include "support/gpu.h"
#include "support/text_file.h"

namespace runahead::test {

/// Runs `runahead-cell` on a small experiment, in a folder of its own, on a CUDA device: skipped
/// without one, unless RUNAHEAD_EXPECT_GPU=1.
class CellGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProgramEnd end = cell({"devices", "--json"});
    ASSERT_EQ(end.exit_code, 0) << end.err;
    const Json cuda = parse_json(end.out, "stdout").at(2);
    RUNAHEAD_NEEDS_GPU(cuda.at("available").get<bool>() ? "" : cuda.at("what").get<std::string>());
  }

  /// A config of a small MLP, with `changes` merged into it.
  std::string config(const Json& changes = Json::object()) {
    Json document = {{"experiment", "train"},
                     {"batches", 4},
                     {"model", {{"layers", {8, 1}}}},
                     {"data", {{"features", 4}, {"batch_size", 8}}},
                     {"threads", {{"pin", false}}}};
    document.merge_patch(changes);
    return write_text(folder_.path() / "config.json", dump_json(document)).string();
  }

  [[nodiscard]] ProgramEnd cell(const std::vector<std::string>& arguments) const {
    return Program(folder_.path(), RUNAHEAD_CELL, arguments).wait();
  }

  [[nodiscard]] std::string out() const { return (folder_.path() / "out").string(); }
  [[nodiscard]] record::Record record() const {
    return record::read_record(folder_.path() / "out" / "record.json");
  }

 private:
  ScratchFolder folder_;
};

}  // namespace runahead::test
