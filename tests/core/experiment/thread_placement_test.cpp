#include "core/experiment/thread_placement.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace runahead::experiment {
namespace {

TEST(ThreadPlacement, FrontEndHasTheFirstCpuAndWorkersTheFollowingOnes) {
  const ThreadPlacement placement = place_threads({.intra_op = 1, .pin = true}, {2, 3, 5});

  EXPECT_EQ(placement.front_end_cpu, 2);
  EXPECT_EQ(placement.worker_cpus, (std::vector<int>{3, 5}));
  EXPECT_EQ(placement.allowed_cpus, (std::vector<int>{2, 3, 5}));
}

TEST(ThreadPlacement, OneCpuIsShared) {
  const ThreadPlacement placement = place_threads({.intra_op = 1, .pin = true}, {4});

  EXPECT_EQ(placement.front_end_cpu, 4);
  EXPECT_EQ(placement.worker_cpus, std::vector<int>{4});
}

TEST(ThreadPlacement, NothingIsPinnedUnlessTheConfigSaysSoAndOperationsHaveOneThread) {
  for (const config::ThreadsConfig& config :
       {config::ThreadsConfig{.intra_op = 1, .pin = false}, {.intra_op = 2, .pin = true}}) {
    const ThreadPlacement placement = place_threads(config, {0, 1});
    EXPECT_EQ(placement.front_end_cpu, std::nullopt);
    EXPECT_TRUE(placement.worker_cpus.empty());
  }
}

}  // namespace
}  // namespace runahead::experiment
