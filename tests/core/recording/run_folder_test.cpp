#include "core/recording/run_folder.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::recording {
namespace {

namespace fs = std::filesystem;

TEST(RunFolder, HoldsTheGraphThatWasTracked) {
  const test::TemporaryFolder parent;
  record::Record record = record::make_record({}, 0, Json::object());
  record.results["graph"] = {{"text", "1 ones"}, {"dot", "digraph {}"}, {"svg", nullptr}};

  RunFolder(parent.path()).write(record, nullptr, std::nullopt);

  EXPECT_EQ(test::read_text(parent.path() / "graph.dot"), "digraph {}");
  EXPECT_FALSE(fs::exists(parent.path() / "graph.svg"));
  EXPECT_FALSE(fs::exists(parent.path() / "graph.text"));
}

TEST(RunFolder, NeverWritesOverWhatARunWrites) {
  for (const std::string file :
       {"record.json", "samples.csv", "trace.json", "graph.dot", "graph.svg", "recording"}) {
    const test::TemporaryFolder parent;
    test::write_text(parent.path() / file, "mine");
    EXPECT_EQ(
        test::error_message<ConfigError>([&] { const RunFolder folder(parent.path()); }),
        "'" + parent.path().string() + "' holds a " + file + "; give a folder without results");
  }
}

}  // namespace
}  // namespace runahead::recording
