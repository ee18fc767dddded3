#include "core/experiment/thread_placement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace runahead::experiment {
namespace {

/// A number of a CPU that no other test claims at this time.
int unclaimed_cpu() { return 1'000'000 + 4 * ::getpid(); }

TEST(ThreadPlacement, FrontEndHasTheFirstCpuAndWorkersTheFollowingOnes) {
  const std::vector<int> cpus{unclaimed_cpu(), unclaimed_cpu() + 1, unclaimed_cpu() + 3};
  const ThreadPlacement placement = place_threads({.intra_op = 1, .pin = true}, 2, cpus);

  EXPECT_EQ(placement.front_end_cpu, cpus[0]);
  EXPECT_EQ(placement.worker_cpus, (std::vector{cpus[1], cpus[2]}));
  EXPECT_EQ(placement.allowed_cpus, cpus);
}

TEST(ThreadPlacement, RunsTakeCpusThatNoOtherRunHas) {
  const std::vector<int> cpus{unclaimed_cpu(), unclaimed_cpu() + 1, unclaimed_cpu() + 2};
  const ThreadPlacement first = place_threads({.intra_op = 1, .pin = true}, 1, cpus);
  ThreadPlacement second = place_threads({.intra_op = 1, .pin = true}, 0, cpus);

  EXPECT_EQ(first.worker_cpus, std::vector{cpus[1]});
  EXPECT_EQ(second.front_end_cpu, cpus[2]);
  EXPECT_FALSE(second.claim->is_shared());
}

TEST(ThreadPlacement, OneCpuServesFrontEndAndWorkers) {
  const int cpu = unclaimed_cpu();
  const ThreadPlacement placement = place_threads({.intra_op = 1, .pin = true}, 1, {cpu});

  EXPECT_EQ(placement.front_end_cpu, cpu);
  EXPECT_EQ(placement.worker_cpus, std::vector{cpu});
}

TEST(ThreadPlacement, NothingIsPinnedUnlessTheConfigSaysSoAndOperationsHaveOneThread) {
  for (const config::ThreadsConfig& config :
       {config::ThreadsConfig{.intra_op = 1, .pin = false}, {.intra_op = 2, .pin = true}}) {
    const ThreadPlacement placement = place_threads(config, 1, {0, 1});
    EXPECT_EQ(placement.front_end_cpu, std::nullopt);
    EXPECT_TRUE(placement.worker_cpus.empty());
    EXPECT_FALSE(placement.claim);
  }
}

TEST(ThreadPlacement, TheFrontEndHasOneIntraOpThreadWhereWorkersExecute) {
  const config::ThreadsConfig config{.intra_op = 2, .pin = false};

  EXPECT_EQ(place_threads(config, 1, {0, 1}).front_end_intra_op, 1);
  EXPECT_EQ(place_threads(config, 0, {0, 1}).front_end_intra_op, 2);
}

}  // namespace
}  // namespace runahead::experiment
