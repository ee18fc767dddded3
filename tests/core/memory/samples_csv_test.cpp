#include "core/memory/samples_csv.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::memory {
namespace {

const TimePoint kOrigin = TimePoint(std::chrono::seconds(100));
const std::string kHeader =
    "time_seconds,rss_bytes,live_bytes,reserved_bytes,promised_bytes,held_bytes,"
    "operations_in_flight,batches_in_flight,batches_issued,batches_finished,pss_bytes,cgroup_bytes";

TEST(SamplesCsv, PutsColumnsInTheirFixedOrderAndLeavesTheUnmeasuredEmpty) {
  const runahead::test::TemporaryFolder folder;
  SampleSeries series({"batches_issued", "rss_bytes", "held_bytes"}, 256);
  series.append(kOrigin - std::chrono::milliseconds(2),
                std::vector<Reading>{0, 4096, std::nullopt});
  series.append(kOrigin, std::vector<Reading>{1, 8192, 0});
  series.append(kOrigin + std::chrono::microseconds(1'500'001),
                std::vector<Reading>{2, std::nullopt, 18'446'744'073'709'551'615ULL});

  write_samples_csv(folder.path() / "samples.csv", series, kOrigin);

  EXPECT_EQ(runahead::test::read_text(folder.path() / "samples.csv"),
            kHeader +
                "\n-0.002000,4096,,,,,,,0,,,\n"
                "0.000000,8192,,,,0,,,1,,,\n"
                "1.500001,,,,,18446744073709551615,,,2,,,\n");
}

TEST(SamplesCsv, AppendsColumnsOfItsOwn) {
  const runahead::test::TemporaryFolder folder;
  SampleSeries series({"extra_bytes", "pss_bytes"}, 256);
  series.append(kOrigin, std::vector<Reading>{7, 9});

  write_samples_csv(folder.path() / "samples.csv", series, kOrigin);

  EXPECT_EQ(runahead::test::read_text(folder.path() / "samples.csv"),
            kHeader + ",extra_bytes\n0.000000,,,,,,,,,,9,,7\n");
}

TEST(SamplesCsv, ReplacesAnOlderFileAndLeavesNothingElse) {
  const runahead::test::TemporaryFolder folder;
  runahead::test::write_text(folder.path() / "samples.csv", "old");
  write_samples_csv(folder.path() / "samples.csv", SampleSeries({}, 256), kOrigin);
  EXPECT_EQ(runahead::test::read_text(folder.path() / "samples.csv"), kHeader + "\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace runahead::memory
