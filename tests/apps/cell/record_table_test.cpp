#include <gtest/gtest.h>

#include <array>

#include "apps/cell/record_table.h"
#include "apps/cell/sparkline.h"
#include "core/base/error.h"
#include "core/record/record_file.h"
#include "support/golden.h"

namespace runahead::cell {
namespace {

// run.json is the record of a run; here it was sampled while 40 batches were issued and finished.
// What was not sampled has no curve.
TEST(RecordTable, ReportsWhatWasMeasured) {
  memory::SampleSeries samples({"rss_bytes", "live_bytes", "batches_in_flight"},
                               memory::SampleSeries::kMinRows);
  const TimePoint origin = Clock::now();
  for (unsigned batch = 0; batch < 40; ++batch) {
    const unsigned in_flight = batch < 10 ? 4 * batch : 40 - batch;
    samples.append(origin + std::chrono::milliseconds(batch),
                   std::array<memory::Reading, 3>{100 + in_flight, std::nullopt, in_flight});
  }
  const record::Record record =
      record::read_record(RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/run.json");

  test::expect_golden(RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/run.txt",
                      record_table(record, &samples));
}

// A failed run and one of another adaptive policy, in batches; then a program, with every kind of
// figure.
TEST(RecordTable, ReportsErrorsChoicesWaitsAndTheFiguresOfAProgram) {
  std::string tables;
  for (const record::Record& record :
       record::read_records(RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/records.jsonl")) {
    tables += record_table(record, nullptr) + "\n";
  }

  test::expect_golden(RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/records.txt", tables);
}

TEST(Sparkline, ShowsTheHighestValueOfEachShareOfTheTime) {
  EXPECT_EQ(sparkline({{0.0, 10.0}, {1.0, 45.0}, {2.0, 80.0}}, 3), "▁▅█");
  EXPECT_EQ(sparkline({{0.0, 0.0}, {0.1, 7.0}, {0.9, 0.0}, {2.0, 0.0}}, 2), "█▁");
  EXPECT_EQ(sparkline({{0.0, 7.0}, {10.0, 0.0}}, 4), "███▁") << "else the value before";
  EXPECT_EQ(sparkline({{0.0, 5.0}, {1.0, 5.0}}, 2), "▁▁");
  EXPECT_EQ(sparkline({{0.0, 0.0}, {0.1, 2.0}, {0.9, 0.0}, {1.0, 2.0}}, 2), "██")
      << "from the lowest of all values";
  EXPECT_EQ(sparkline({{0.0, std::nullopt}, {1.0, 1.0}, {2.0, 2.0}}, 3), " ▁█");
  EXPECT_EQ(sparkline({{0.0, std::nullopt}}, 3), "");
  EXPECT_EQ(sparkline({}, 3), "");
  EXPECT_THROW(static_cast<void>(sparkline({}, 0)), UsageError);
}

}  // namespace
}  // namespace runahead::cell
