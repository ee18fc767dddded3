#include "core/recording/run_folder.h"

#include <gtest/gtest.h>

#include <array>

#include "core/base/error.h"
#include "core/record/record_file.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::recording {
namespace {

namespace fs = std::filesystem;

TEST(RunFolder, HoldsTheRecordAndTheSamples) {
  const test::TemporaryFolder parent;
  memory::SampleSeries samples({"rss_bytes"}, memory::SampleSeries::kMinRows);
  const TimePoint origin = Clock::now();
  samples.append(origin, std::array<memory::Reading, 1>{5});
  const RunFolder folder(parent.path() / "a" / "b");

  folder.write(record::make_record({}, 3, Json::object()), &samples, origin);

  EXPECT_EQ(record::read_record(folder.record_path()).repeat, 3);
  EXPECT_TRUE(fs::exists(parent.path() / "a" / "b" / "samples.csv"));
}

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
