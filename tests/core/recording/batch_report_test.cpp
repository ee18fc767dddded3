#include "core/recording/batch_report.h"

#include <gtest/gtest.h>

#include <chrono>

namespace runahead::recording {
namespace {

class BatchReportTest : public ::testing::Test {
 protected:
  /// Of two batches of 8 examples, the second in flight; each keeps 100 bytes.
  record::Record& report(bool executes_at_issue = false) {
    batches_.issue(started_, 100);
    batches_.issue(started_, 100);
    batches_.finish(started_ + std::chrono::seconds(1), 100);
    report_batches({.batches = batches_,
                    .batch_size = 8.0,
                    .own_bytes = 30,
                    .executes_at_issue = executes_at_issue},
                   started_, record_);
    return record_;
  }

  const TimePoint started_ = Clock::now();
  BatchCounter batches_{};
  record::Record record_{};
};

TEST_F(BatchReportTest, ReportsWhatWasIssuedAndWhatHasFinished) {
  record_.time.total_seconds = 2.0;
  report();

  EXPECT_EQ(record_.results.at("batches_issued"), 2);
  EXPECT_EQ(record_.results.at("batches_finished"), 1);
  EXPECT_EQ(record_.time.batch_finished_seconds, std::vector<double>{1.0});
  EXPECT_EQ(record_.time.examples_per_second, 4.0);
  EXPECT_EQ(record_.backlog.batches_peak, 2U);
}

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

TEST_F(BatchReportTest, BytesThatTheDeviceCountedAreWithoutTheLoopsOwn) {
  record_.backlog.bytes_peak = 530;

  EXPECT_EQ(report().backlog.bytes_peak, 500U);
}

TEST_F(BatchReportTest, ADeviceThatCountsNoneHasWhatBatchesInFlightKept) {
  EXPECT_EQ(report().backlog.bytes_peak, 200U);
}

TEST_F(BatchReportTest, WithoutBatchesNoPeakWasMeasured) {
  report_batches({.batches = batches_}, started_, record_);

  EXPECT_EQ(record_.backlog.batches_peak, std::nullopt);
  EXPECT_EQ(record_.backlog.bytes_peak, std::nullopt);
  EXPECT_EQ(record_.results.at("batches_issued"), 0);
}

TEST_F(BatchReportTest, WhereNothingIsInFlightNoBytesWereMeasured) {
  EXPECT_EQ(report(/*executes_at_issue=*/true).backlog.bytes_peak, std::nullopt);
}

}  // namespace
}  // namespace runahead::recording
