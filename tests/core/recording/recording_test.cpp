#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/memory/process_probe.h"
#include "core/memory/sample_series.h"
#include "core/record/record.h"
#include "core/record/record_file.h"
#include "core/recording/batch_report.h"
#include "core/recording/run_folder.h"
#include "core/recording/run_timeline.h"

namespace runahead::recording {
namespace {

class BatchReportTest : public ::testing::Test {
 protected:
  /// Of two batches of 8 examples, the second in flight; each keeps 100 bytes.
  record::Record& report(bool executes_at_issue = false) {
    BatchCounter batches;
    batches.issue(started_, 100);
    batches.issue(started_, 100);
    batches.finish(started_ + std::chrono::seconds(1), 100);
    report_batches({.batches = batches,
                    .batch_size = 8.0,
                    .own_bytes = 30,
                    .executes_at_issue = executes_at_issue},
                   started_, record_);
    return record_;
  }

  const TimePoint started_ = Clock::now();
  record::Record record_{};
};

TEST_F(BatchReportTest, TimesOfMoreBatchesThanItKeepsAreLeftOut) {
  constexpr std::uint64_t kBatches = BatchCounter::kMostFinishTimes + 5;
  BatchCounter many;
  for (std::uint64_t i = 0; i < kBatches; ++i) {
    many.issue(started_, 1);
    many.finish(started_, 1);
  }

  EXPECT_EQ(many.finish_times().size(), BatchCounter::kMostFinishTimes);
  EXPECT_EQ(many.counts().finished, kBatches);
  EXPECT_EQ(many.counts().kept_bytes, 0U);
}

TEST_F(BatchReportTest, BytesAreThoseThatTheDeviceCountedElseThoseThatBatchesInFlightKept) {
  EXPECT_EQ(report().backlog.bytes_peak, 200U);
  record_.backlog.bytes_peak = 530;
  EXPECT_EQ(report().backlog.bytes_peak, 500U) << "without the loop's own";
  record_.backlog.bytes_peak.reset();
  EXPECT_EQ(report(/*executes_at_issue=*/true).backlog.bytes_peak, std::nullopt);
}

// As on a disk with room for the record alone.
TEST(RunFolder, StillHasTheRecordIfTheSamplesCannotBeWritten) {
  const ScratchFolder parent;
  const RunFolder folder(parent.path() / "run");
  std::filesystem::create_directory(folder.path() / "samples.csv");

  const memory::SampleSeries samples({"rss_bytes"}, memory::SampleSeries::kMinRows);
  EXPECT_THROW(folder.write({.error = "of the run"}, &samples, Clock::now()), Error);
  EXPECT_EQ(record::read_record(folder.record_path()).error, "of the run");
}

TEST(RunTimeline, HasTheKernelsPeakWithoutAnySample) {
  RunTimeline timeline;
  timeline.take_baseline();
  timeline.start();
  timeline.close(Clock::now());
  record::Record record;
  timeline.report(nullptr, record);

  EXPECT_EQ(record.memory.rss_peak_bytes.has_value(), memory::reset_peak_rss());
}

}  // namespace
}  // namespace runahead::recording
