#include "core/experiment/progress.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace runahead::experiment {
namespace {

const Progress kHalfWay{.batches = 60,
                        .counts = train::BatchCounts{.issued = 60, .finished = 30, .in_flight = 30},
                        .operations_in_flight = 780,
                        .rss_bytes = 512'000'000,
                        .live_bytes = 37'800'000};

/// Characters of UTF-8 text without escape sequences.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char character) { return (character & 0xC0) != 0x80; }));
}

TEST(Progress, IsBarsAndWhatIsInFlight) {
  EXPECT_EQ(progress_lines(kHalfWay, 60, false),
            (std::vector<std::string>{"issued ██████████████ 60/60  finished ███████░░░░░░░ 30/60",
                                      "30 batches (780 operations) in flight, RSS 512 MB, live "
                                      "37."}));
}

TEST(Progress, NeverReachesTheLastColumn) {
  for (std::size_t columns = 0; columns <= 200; ++columns) {
    for (const std::string& line : progress_lines(kHalfWay, columns, false)) {
      EXPECT_LE(width_of(line), columns == 0 ? 0 : columns - 1) << line;
    }
  }
}

TEST(Progress, HasNoBarsWhereTheyWouldBeTooShort) {
  EXPECT_EQ(progress_lines(kHalfWay, 36, false).front(), "issued 60/60  finished 30/60");
}

TEST(Progress, ColoursTheBarsAlone) {
  const std::string line = progress_lines(kHalfWay, 60, true).front();

  EXPECT_EQ(line,
            "issued \033[36m██████████████\033[0m 60/60  finished \033[32m███████░░░░░░░\033[0m "
            "30/60");
  EXPECT_EQ(progress_lines(kHalfWay, 60, false).front().find('\033'), std::string::npos);
}

TEST(Progress, IsOnePlainLineForALog) {
  EXPECT_EQ(progress_line(kHalfWay),
            "issued 60/60, finished 30/60, 30 batches (780 operations) in flight, RSS 512 MB, live "
            "37.8 MB");
}

TEST(Progress, LeavesOutWhatIsNotMeasured) {
  EXPECT_EQ(progress_line({.batches = 3, .rss_bytes = 1000}), "RSS 1.00 kB");
  EXPECT_EQ(progress_lines({.batches = 3, .rss_bytes = 1000}, 80, false),
            std::vector<std::string>{"RSS 1.00 kB"});
}

}  // namespace
}  // namespace runahead::experiment
