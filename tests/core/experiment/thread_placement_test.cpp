#include "core/experiment/thread_placement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace runahead::experiment {
namespace {

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
