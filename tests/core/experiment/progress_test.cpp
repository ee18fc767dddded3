#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <latch>
#include <sstream>
#include <thread>
#include <vector>

#include "core/experiment/progress.h"
#include "core/experiment/thread_placement.h"
#include "core/record/cell_progress.h"

namespace runahead::experiment {
namespace {

const record::CellProgress kHalfWay{.batches = 60,
                                    .batches_issued = 60,
                                    .batches_finished = 30,
                                    .operations_in_flight = 780,
                                    .rss_bytes = 512'000'000,
                                    .live_bytes = 37'800'000};

/// Characters of UTF-8 text without escape sequences.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char character) { return (character & 0xC0) != 0x80; }));
}

TEST(Progress, IsBarsAndWhatIsInFlightAndOnePlainLineForALog) {
  EXPECT_EQ(progress_lines(kHalfWay, 60, false),
            (std::vector<std::string>{"issued ██████████████ 60/60  finished ███████░░░░░░░ 30/60",
                                      "30 batches (780 operations) in flight, RSS 512 MB, live "
                                      "37."}));
  EXPECT_EQ(progress_lines(kHalfWay, 60, true).front(),
            "issued \033[36m██████████████\033[0m 60/60  finished \033[32m███████░░░░░░░\033[0m "
            "30/60");
  EXPECT_EQ(progress_line(kHalfWay),
            "issued 60/60, finished 30/60, 30 batches (780 operations) in flight, RSS 512 MB, live "
            "37.8 MB");
}

TEST(Progress, NeverReachesTheLastColumn) {
  for (std::size_t columns = 0; columns <= 200; ++columns) {
    for (const std::string& line : progress_lines(kHalfWay, columns, false)) {
      EXPECT_LE(width_of(line), columns == 0 ? 0 : columns - 1) << line;
    }
  }
}

constexpr record::CellProgress kProgress{.batches = 3, .batches_issued = 2, .batches_finished = 1};

/// What a view writes until it was asked for its progress `frames` times, and at its end.
std::string shown(ProgressOutput output, std::ptrdiff_t frames) {
  std::ostringstream out;
  output.out = &out;
  std::latch asked{frames};
  {
    const std::jthread view = start_progress_view(output, [&] {
      if (!asked.try_wait()) asked.count_down();
      return kProgress;
    });
    asked.wait();
  }
  return out.str();
}

TEST(ProgressView, ChangesItsLinesInPlaceAndClearsThemAtTheEnd) {
  const std::string text = shown({.columns = [] { return 30; }}, 2);

  const std::string frame = "issued 2/3  finished 1/3\n1 batch in flight";
  EXPECT_EQ(text.rfind("\r\033[J" + frame + "\r\033[A\r\033[J" + frame, 0), 0) << text;
  EXPECT_TRUE(text.ends_with(frame + "\r\033[A\r\033[J")) << text;
}

/// Numbers of CPUs, from this one on, that no other test claims at this time.
int first_unclaimed_cpu() { return 1'000'000 + 4 * ::getpid(); }

std::vector<int> cpus_at(std::vector<int> offsets) {
  for (int& offset : offsets) offset += first_unclaimed_cpu();
  return offsets;
}

TEST(ThreadPlacement, IsThatOfTheTable) {
  struct Row {
    const char* what;
    config::ThreadsConfig config;
    int workers;
    std::vector<int> cpus;
    std::vector<int> front_end;
    std::vector<int> worker_cpus;
    int front_end_intra_op = 1;
  };
  const config::ThreadsConfig pinned{.intra_op = 1, .pin = true};
  const Row rows[] = {
      {"the front end has the first CPU, workers the others", pinned, 2, {0, 1, 3}, {0}, {1, 3}},
      {"one CPU serves all", pinned, 1, {0}, {0}, {0}},
      {"nothing is pinned unless asked for", {.intra_op = 1, .pin = false}, 1, {0, 1}, {}, {}},
      {"nor if operations have several threads", {.intra_op = 2, .pin = true}, 1, {0, 1}, {}, {}},
      {"only who executes has them", {.intra_op = 2, .pin = false}, 0, {0, 1}, {}, {}, 2},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const ThreadPlacement placement = place_threads(row.config, row.workers, cpus_at(row.cpus));
    EXPECT_EQ(placement.front_end_cpu.has_value(), !row.front_end.empty());
    if (placement.front_end_cpu) {
      EXPECT_EQ(std::vector{*placement.front_end_cpu}, cpus_at(row.front_end));
    }
    EXPECT_EQ(placement.worker_cpus, cpus_at(row.worker_cpus));
    EXPECT_EQ(placement.allowed_cpus, cpus_at(row.cpus));
    EXPECT_EQ(placement.claim.has_value(), !row.front_end.empty());
    EXPECT_EQ(placement.front_end_intra_op, row.front_end_intra_op);
  }
}

TEST(ThreadPlacement, KeepsItsCpusFromOtherRuns) {
  const ThreadPlacement first = place_threads({.intra_op = 1, .pin = true}, 1, cpus_at({0, 1, 2}));
  ThreadPlacement second = place_threads({.intra_op = 1, .pin = true}, 0, cpus_at({0, 1, 2}));

  EXPECT_EQ(std::vector{second.front_end_cpu.value()}, cpus_at({2}));
  EXPECT_FALSE(second.claim->is_shared());
}

}  // namespace
}  // namespace runahead::experiment
