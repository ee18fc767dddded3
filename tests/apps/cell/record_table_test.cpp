#include "apps/cell/record_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/record/record_file.h"
#include "support/golden.h"

namespace runahead::cell {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

record::Record some_record() {
  record::Record record = record::make_record({}, 0, Json::object());
  record.time.issue_seconds = 0.25;
  record.time.total_seconds = 12.5;
  record.memory.rss_growth_bytes = 215'000'000;
  record.backlog.batches_peak = 98;
  record.backlog.blocking_operators = {{"aten::nonzero", 3}};
  return record;
}

// run.json is the record of a run; here it was sampled while 40 batches were issued and finished.
TEST(RecordTable, ReportsWhatWasMeasured) {
  memory::SampleSeries samples({"rss_bytes", "batches_in_flight"}, memory::SampleSeries::kMinRows);
  const TimePoint origin = Clock::now();
  for (unsigned batch = 0; batch < 40; ++batch) {
    const unsigned in_flight = batch < 10 ? 4 * batch : 40 - batch;
    samples.append(origin + std::chrono::milliseconds(batch),
                   std::array<memory::Reading, 2>{100 + in_flight, in_flight});
  }
  const record::Record record = record::read_record(RUNAHEAD_GOLDEN_FOLDER "/run.json");

  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/run.txt", record_table(record, &samples));
}

TEST(RecordTable, ListsTheOperatorsThatMadeItWait) {
  EXPECT_THAT(record_table(some_record(), nullptr), HasSubstr("aten::nonzero, 3 times"));
}

TEST(RecordTable, WhatWasNotMeasuredIsADash) {
  EXPECT_THAT(record_table(some_record(), nullptr),
              HasSubstr("first loss              -\n  final loss              -\n"));
}

TEST(RecordTable, ReportsWhatTheAdaptivePolicyChose) {
  record::Record record = some_record();
  EXPECT_THAT(record_table(record, nullptr), Not(HasSubstr("run-ahead")));

  record.results["adaptive"] = {{"ceiling_bytes", 1000},
                                {"operations", {{0, 8}, {3, 32}, {9, 28}}}};

  EXPECT_THAT(record_table(record, nullptr),
              HasSubstr("28 operations at the end, 8 to 32 on the way"));

  record.results["adaptive"] = {{"ceiling_bytes", 1000}, {"batches", {{0, 2}, {3, 3}}}};

  EXPECT_THAT(record_table(record, nullptr), HasSubstr("3 batches at the end, 2 to 3 on the way"));
}

TEST(RecordTable, DrawsTheSamples) {
  memory::SampleSeries samples({"rss_bytes", "batches_in_flight"}, memory::SampleSeries::kMinRows);
  const TimePoint origin = Clock::now();
  samples.append(origin, std::array<memory::Reading, 2>{100, 0});
  samples.append(origin + std::chrono::seconds(1), std::array<memory::Reading, 2>{200, 5});

  EXPECT_THAT(record_table(some_record(), &samples), HasSubstr("█"));
  EXPECT_THAT(record_table(some_record(), nullptr), Not(HasSubstr("█")));
}

TEST(RecordTable, LeavesOutTheCurveOfWhatWasNotSampled) {
  memory::SampleSeries samples({"rss_bytes", "live_bytes"}, memory::SampleSeries::kMinRows);
  samples.append(Clock::now(), std::array<memory::Reading, 2>{100, std::nullopt});

  const std::string table = record_table(some_record(), &samples);
  EXPECT_THAT(table, HasSubstr("  RSS  "));
  EXPECT_THAT(table, Not(HasSubstr("  live  ")));
}

TEST(RecordTable, EndsWithTheFinding) {
  EXPECT_TRUE(record_table(some_record(), nullptr)
                  .ends_with("\nWith a wait after every batch the front end finished issuing after "
                             "250 ms; up to 98 batches were in flight.\n"));
}

TEST(RecordTable, ReportsTheFiguresOfAProgramInsteadOfBatches) {
  record::Record record = some_record();
  record.experiment = "increment";
  record.backlog.batches_peak.reset();
  const Json spread = {{"median", 0.5}, {"min", 0.25}, {"max", 0.75}, {"count", 7}};
  record.results["increment"] = {{"queued_seconds", spread},
                                 {"chained", {{"t1_seconds", 2.0}, {"bottleneck", "back_end"}}},
                                 {"runs", Json::array({{{"issue_seconds", spread}}})},
                                 {"elapsed_seconds", Json::array({1.0, 2.0})}};

  const std::string table = record_table(record, nullptr);

  EXPECT_THAT(table,
              HasSubstr("queued_seconds                 500 ms (250 ms to 750 ms, 7 repeats)"));
  EXPECT_THAT(table, HasSubstr("chained.t1_seconds             2.00 s\n"));
  EXPECT_THAT(table, HasSubstr("runs[0].issue_seconds"));
  EXPECT_THAT(table, Not(HasSubstr("examples per second")));
}

TEST(RecordTable, ReportsTheError) {
  record::Record record = some_record();
  record.status = record::Status::kFailed;
  record.error = "aten::mm failed";

  EXPECT_THAT(record_table(record, nullptr), HasSubstr("aten::mm failed"));
}

}  // namespace
}  // namespace runahead::cell
