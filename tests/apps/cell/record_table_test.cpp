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

using ::testing::AllOf;
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

TEST(RecordTable, AddsTheErrorWhatThePolicyChoseAndWhatItWaitedFor) {
  record::Record record = some_record();
  EXPECT_THAT(record_table(record, nullptr), Not(HasSubstr("run-ahead")));
  record.error = "aten::mm failed";
  record.results["adaptive"] = {{"ceiling_bytes", 1000},
                                {"operations", {{0, 8}, {3, 32}, {9, 28}}}};

  EXPECT_THAT(record_table(record, nullptr),
              AllOf(HasSubstr("aten::mm failed"), HasSubstr("aten::nonzero, 3 times"),
                    HasSubstr("28 operations at the end, 8 to 32 on the way"),
                    HasSubstr("first loss              -\n  final loss              -\n")));
  record.results["adaptive"] = {{"ceiling_bytes", 1000}, {"batches", {{0, 2}, {3, 3}}}};
  EXPECT_THAT(record_table(record, nullptr), HasSubstr("3 batches at the end, 2 to 3 on the way"));
}

TEST(RecordTable, LeavesOutTheCurveOfWhatWasNotSampled) {
  memory::SampleSeries samples({"rss_bytes", "live_bytes"}, memory::SampleSeries::kMinRows);
  samples.append(Clock::now(), std::array<memory::Reading, 2>{100, std::nullopt});

  const std::string table = record_table(some_record(), &samples);
  EXPECT_THAT(table, HasSubstr("  RSS  "));
  EXPECT_THAT(table, Not(HasSubstr("  live  ")));
}

TEST(RecordTable, ReportsTheFiguresOfAProgramInsteadOfBatches) {
  record::Record record = some_record();
  record.experiment = "increment";
  record.backlog.batches_peak.reset();
  record.results["increment"] = {{"chained", {{"t1_seconds", 2.0}}}};

  EXPECT_THAT(record_table(record, nullptr),
              AllOf(HasSubstr("  chained.t1_seconds             2.00 s\n"),
                    Not(HasSubstr("examples per second"))));
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

TEST(FiguresTable, HasALineForEachFigureAndNoPictures) {
  const Json spread = {{"median", 0.5}, {"min", 0.25}, {"max", 0.75}, {"count", 7}};
  record::Record record;
  record.experiment = "graph";
  record.results["graph"] = {{"read_seconds", spread},
                             {"operations", 4},
                             {"order_kept", true},
                             {"bottleneck", "back_end"},
                             {"chained", {{"t1_seconds", 2.0}}},
                             {"runs", {{{"error", 0.5}}, {{"issue_seconds", spread}}}},
                             {"z", {3.0, 3.0}},
                             {"times", std::vector<double>(9, 1.0)},
                             {"orders", nullptr},
                             {"text", "1 ones\n2 mul\n"},
                             {"svg", "<svg/>"},
                             {"dot", "d"}};

  EXPECT_EQ(figures_table(record),
            "  read_seconds                   500 ms (250 ms to 750 ms, 7 repeats)\n"
            "  operations                     4\n"
            "  order_kept                     yes\n"
            "  bottleneck                     back_end\n"
            "  chained.t1_seconds             2.00 s\n"
            "  runs[0].error                  0.5\n"
            "  runs[1].issue_seconds          500 ms (250 ms to 750 ms, 7 repeats)\n"
            "  z                              3, 3\n"
            "  text\n    1 ones\n    2 mul\n");
  EXPECT_EQ(figures_table({}), "");
}

}  // namespace
}  // namespace runahead::cell
