#include <gtest/gtest.h>

#include <string>

#include "core/engine/engine_kinds.h"
#include "core/engine/random_workload.h"

// The differential test: a seeded random workload gives the same numbers on every engine, exactly.
namespace runahead::engine::test {
namespace {

constexpr std::size_t kSteps = 10'000;
constexpr std::size_t kVariables = 100;
constexpr std::size_t kMostReads = 19;
constexpr std::uint64_t kSeeds = 20;

class EngineRandomWorkload : public ::testing::TestWithParam<EngineKind> {};

TEST_P(EngineRandomWorkload, EqualsSerialExecution) {
  const auto engine = make_engine(GetParam().options());
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    const auto steps = random_workload(seed, kSteps, kVariables, kMostReads);

    ASSERT_EQ(run_on(*engine, steps, kVariables), run_serially(steps, kVariables));
  }
}

TEST_P(EngineRandomWorkload, EqualsSerialExecutionWithinANarrowLimit) {
  EngineOptions options = GetParam().options();
  options.limit.operations = 3;
  const auto engine = make_engine(options);
  const auto steps = random_workload(kSeeds + 1, kSteps, kVariables, kMostReads);

  EXPECT_EQ(run_on(*engine, steps, kVariables), run_serially(steps, kVariables));
  EXPECT_LE(engine->in_flight_peak(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineRandomWorkload, ::testing::ValuesIn(kEngineKinds),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace runahead::engine::test
