// Goal: whatever several threads do to the device at once, every value is the CPU's, and nothing is
// left in flight or in memory. Method: four threads issue random operations, each on tensors of its
// own and on the CPU alike, to four workers under a small limit; then values and counters are
// compared. RUNAHEAD_STRESS_OPERATIONS sets how many operations all models together make.
#include "core/device/device_fixture.h"
#include "core/device/random_program.h"

namespace runahead::device {
namespace {

constexpr int kModels = 4;

class Stress : public DeviceTest, public ::testing::WithParamInterface<Allocation> {};

TEST_P(Stress, RandomOperationsOfSeveralThreadsGiveTheBitsOfTheCpuAndLeaveNothingBehind) {
  configure({.workers = 4,
             .ready_order = engine::ReadyOrder::kFirstReady,
             .allocation = GetParam(),
             .limit = engine::RunAheadLimit{.operations = 64, .bytes = 64 * 1024}});
  const MemoryStats before = memory_stats();
  run_random_programs(acpu_, stress_operations(80'000) / (kStressThreads * kModels));

  const MemoryStats after = memory_stats();
  EXPECT_EQ(backlog().operations, 0U);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.claimed_bytes, before.claimed_bytes);
  EXPECT_EQ(after.freed_in_flight_bytes, before.freed_in_flight_bytes);
}

INSTANTIATE_TEST_SUITE_P(Models, Stress,
                         ::testing::Values(Allocation::kAtIssue, Allocation::kInStreamOrder,
                                           Allocation::kCaching, Allocation::kAtExecution),
                         [](const auto& model) { return allocation_name(model.param); });

}  // namespace
}  // namespace runahead::device
