#include "core/recording/run_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

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

TEST(RunFolder, NeverOverwritesARecord) {
  const test::TemporaryFolder parent;
  { std::ofstream(parent.path() / "record.json") << "{}"; }

  const std::string message =
      test::error_message<ConfigError>([&] { const RunFolder folder(parent.path()); });

  EXPECT_NE(message.find("already holds a record"), std::string::npos) << message;
}

TEST(RunFolder, IsGoneAgainIfNothingWasWritten) {
  const test::TemporaryFolder parent;
  { const RunFolder folder(parent.path() / "run"); }

  EXPECT_FALSE(fs::exists(parent.path() / "run"));
}

TEST(RunFolder, KeepsAFolderThatWasThere) {
  const test::TemporaryFolder parent;
  { const RunFolder folder(parent.path()); }

  EXPECT_TRUE(fs::exists(parent.path()));
}

TEST(RunFolder, RefusesAFile) {
  const test::TemporaryFolder parent;
  { std::ofstream(parent.path() / "file") << "x"; }

  EXPECT_THROW(const RunFolder folder(parent.path() / "file"), Error);
}

}  // namespace
}  // namespace runahead::recording
