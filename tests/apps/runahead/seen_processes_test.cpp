#include "apps/runahead/seen_processes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <vector>

#include "core/base/scratch_folder.h"
#include "support/golden.h"

namespace runahead::apps {
namespace {

const TimePoint kOrigin = TimePoint(std::chrono::seconds(100));

memory::SeenProcess process(int number, const char* name, int seconds,
                            std::optional<std::uint64_t> peak_bytes = {}) {
  return {.process_id = number,
          .name = name,
          .first_seen = kOrigin,
          .last_seen = kOrigin + std::chrono::seconds(seconds),
          .rss_peak_bytes = peak_bytes};
}

// Ten by their peaks and the others in one row.
TEST(SeenProcesses, AreATableAndAFileNextToTheSamples) {
  std::vector<memory::SeenProcess> seen{process(7, "python, \"3\"\n", 15, 2'500'000),
                                        process(8, "sh", 0)};
  const ScratchFolder folder;
  const auto path = seen_processes_path(folder.path() / "m.csv");
  write_seen_processes(path, seen, kOrigin, "python 3.py\n");
  const std::string two = seen_processes_table(seen, kOrigin);
  for (int number = 1; number <= 11; ++number) {
    seen.push_back(process(number, "worker", number, std::uint64_t(number) * 1'000'000));
  }

  EXPECT_EQ(path.filename(), "m.processes.csv");
  test::expect_golden(
      RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/seen_processes.txt",
      test::read_text(path) + "\n" + two + "\n" + seen_processes_table(seen, kOrigin));
}

}  // namespace
}  // namespace runahead::apps
