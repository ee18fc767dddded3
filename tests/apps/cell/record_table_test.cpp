#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "apps/cell/figures_table.h"
#include "apps/cell/record_table.h"
#include "apps/cell/sparkline.h"
#include "core/base/error.h"
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

TEST(Sparkline, ShowsTheHighestValueOfEachShareOfTheTime) {
  EXPECT_EQ(sparkline({{0.0, 10.0}, {1.0, 45.0}, {2.0, 80.0}}, 3), "▁▅█");
  EXPECT_EQ(sparkline({{0.0, 0.0}, {0.1, 7.0}, {0.9, 0.0}, {2.0, 0.0}}, 2), "█▁");
  EXPECT_EQ(sparkline({{0.0, 7.0}, {10.0, 0.0}}, 4), "███▁") << "else the value before";
  EXPECT_EQ(sparkline({{0.0, 5.0}, {1.0, 5.0}}, 2), "▁▁");
  EXPECT_EQ(sparkline({{0.0, std::nullopt}, {1.0, 1.0}, {2.0, 2.0}}, 3), " ▁█");
  EXPECT_EQ(sparkline({{0.0, std::nullopt}}, 3), "");
  EXPECT_EQ(sparkline({}, 3), "");
  EXPECT_THROW(static_cast<void>(sparkline({}, 0)), UsageError);
}

std::string table_of(const Json& results) {
  record::Record record;
  record.experiment = "graph";
  record.results["graph"] = results;
  return figures_table(record);
}

TEST(FiguresTable, ReportsASpreadANumberAFactAndAWord) {
  const std::string table =
      table_of({{"read_seconds", {{"median", 0.5}, {"min", 0.25}, {"max", 0.75}, {"count", 7}}},
                {"operations", 4},
                {"order_kept", true},
                {"bottleneck", "back_end"}});

  EXPECT_THAT(table,
              HasSubstr("  read_seconds                   500 ms (250 ms to 750 ms, 7 repeats)\n"));
  EXPECT_THAT(table, HasSubstr("  operations                     4\n"));
  EXPECT_THAT(table, HasSubstr("  order_kept                     yes\n"));
  EXPECT_THAT(table, HasSubstr("  bottleneck                     back_end\n"));
}

TEST(FiguresTable, NamesPartsByTheirPlace) {
  const std::string table = table_of(
      {{"chained", {{"t1_seconds", 2.0}}}, {"runs", {{{"error", 0.5}}, {{"error", 1.5}}}}});

  EXPECT_THAT(table, HasSubstr("  chained.t1_seconds             2.00 s\n"));
  EXPECT_THAT(table, HasSubstr("  runs[1].error                  1.5\n"));
}

TEST(FiguresTable, ShowsListsThatFitALine) {
  EXPECT_THAT(table_of({{"z", {3.0, 3.0}}}), HasSubstr("z                              3, 3\n"));
  EXPECT_EQ(table_of({{"times", Json(std::vector<double>(9, 1.0))}}), "");
}

TEST(FiguresTable, ShowsTextBelowItsKeyAndNoPictures) {
  const std::string table =
      table_of({{"text", "1 ones\n2 mul\n"}, {"svg", "<svg/>"}, {"dot", "d"}});

  EXPECT_EQ(table, "  text\n    1 ones\n    2 mul\n");
}

TEST(FiguresTable, LeavesOutWhatWasNotMeasured) {
  EXPECT_EQ(table_of({{"orders", nullptr}}), "");
  EXPECT_EQ(figures_table({}), "");
}

}  // namespace
}  // namespace runahead::cell
