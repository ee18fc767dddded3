#include "apps/runahead/seen_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::apps {
namespace {

using ::testing::HasSubstr;

const TimePoint kOrigin = TimePoint(std::chrono::seconds(100));

std::vector<memory::SeenProcess> processes() {
  return {{.process_id = 7,
           .name = "python, \"3\"\n",
           .first_seen = kOrigin,
           .last_seen = kOrigin + std::chrono::milliseconds(1500),
           .rss_peak_bytes = 2'000'000},
          {.process_id = 8, .name = "sh", .first_seen = kOrigin, .last_seen = kOrigin}};
}

TEST(SeenProcesses, AreATable) {
  const std::string table = seen_processes_table(processes(), kOrigin);

  EXPECT_THAT(table, HasSubstr("2.00 MB"));
  EXPECT_THAT(table, HasSubstr("1.500"));
  EXPECT_THAT(table, HasSubstr("-"));
}

TEST(SeenProcesses, AreTenByPeakAndTheOthersInOneRow) {
  std::vector<memory::SeenProcess> many;
  for (int number = 1; number <= 12; ++number) {
    many.push_back({.process_id = number,
                    .name = "worker",
                    .first_seen = kOrigin,
                    .last_seen = kOrigin + std::chrono::seconds(number),
                    .rss_peak_bytes = std::uint64_t(number) * 1'000'000});
  }
  const std::string table = seen_processes_table(many, kOrigin);

  EXPECT_LT(table.find("12.0 MB"), table.find("3.00 MB\n"));
  EXPECT_THAT(table, HasSubstr("2 others"));
  EXPECT_THAT(table, HasSubstr("2.000  3.00 MB in all\n"));
}

TEST(SeenProcesses, AreAFileBesideTheSamples) {
  const test::TemporaryFolder folder;
  const auto path = seen_processes_path(folder.path() / "m.csv");
  EXPECT_EQ(path.filename(), "m.processes.csv");

  write_seen_processes(path, processes(), kOrigin, "python 3.py\n");
  EXPECT_EQ(test::read_text(path),
            "process_id,name,first_seconds,last_seconds,rss_peak_bytes,command\n"
            "7,\"python, \"\"3\"\"\",0.000,1.500,2000000,python 3.py\n"
            "8,sh,0.000,0.000,,\n");
}

}  // namespace
}  // namespace runahead::apps
