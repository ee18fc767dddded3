#include "core/recording/loop_recording.h"

#include <gtest/gtest.h>

#include "core/record/record_file.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::recording {
namespace {

TEST(LoopRecording, WritesTheRecordTheSamplesAndTheTraceOfALoop) {
  const test::TemporaryFolder parent;
  LoopRecording loop({.folder = parent.path() / "run", .command = {"train.py"}}, {});
  loop.start();
  loop.batch_issued(8, 100);
  loop.batch_issued(4, 100);
  loop.batches()->finish(Clock::now(), 100);
  loop.end_issue();
  loop.batches()->finish(Clock::now(), 100);
  loop.stop();
  loop.write({.status = record::Status::kFailed, .error = "boom", .device = "cuda:0"},
             [](record::Record& record) {
               record.memory.cuda = {{"allocated_bytes", 5}};
             });

  const record::Record record = record::read_record(parent.path() / "run" / "record.json");
  EXPECT_EQ(record.experiment, "recording");
  EXPECT_EQ(record.config.at("command"), Json::array({"train.py"}));
  EXPECT_EQ(record.error, "boom");
  EXPECT_EQ(record.results.at("batches_finished"), 2);
  EXPECT_EQ(record.backlog.batches_peak, 2U);
  EXPECT_EQ(record.backlog.bytes_peak, 200U);
  EXPECT_DOUBLE_EQ(*record.time.examples_per_second, 12.0 / *record.time.total_seconds);
  EXPECT_LE(*record.time.issue_seconds, *record.time.total_seconds);
  EXPECT_EQ(record.results.at("trace").at("batches_recorded"), 2);
  const Json trace = Json::parse(test::read_text(parent.path() / "run" / "trace.json"));
  EXPECT_EQ(trace.at("otherData").at("batches_recorded"), 2);
  EXPECT_TRUE(std::filesystem::exists(parent.path() / "run" / "samples.csv"));
}

}  // namespace
}  // namespace runahead::recording
