#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "core/engine/cost_ledger.h"
#include "core/engine/engine_kinds.h"
#include "core/engine/random_workload.h"

// The differential test. Seeded random workloads leave the same numbers, the same poison and the
// same errors on every engine within every limit as the rules do, applied step by step.
namespace runahead::engine::test {
namespace {

constexpr std::uint64_t kSeeds = 3;

struct LimitKind {
  const char* name = "";
  RunAheadLimit limit{};
};

const LimitKind kLimitKinds[] = {
    {"Unlimited", {}},
    {"ThreeOperations", {.operations = 3}},
    {"AHundredBytes", {.bytes = 100}},
    {"OperationsBytesAndAge", {.operations = 20, .bytes = 200, .seconds = 0.005}},
};

class EngineModel : public ::testing::TestWithParam<std::tuple<EngineKind, LimitKind>> {
 protected:
  EngineModel() {
    EngineOptions options = std::get<EngineKind>(GetParam()).options();
    options.limit = limit_;
    options.ledger = &ledger_;
    options.observer = &ledger_;
    engine_ = make_engine(options);
  }
  void expect_outcome(const std::vector<WorkloadStep>& steps, std::size_t variables) {
    const Outcome outcome = run_on(*engine_, steps, variables);
    const Outcome expected = expected_outcome(steps, variables);
    EXPECT_EQ(outcome.numbers, expected.numbers);
    EXPECT_EQ(outcome.poison, expected.poison);
    EXPECT_EQ(outcome.reported, expected.reported);
  }

  const RunAheadLimit limit_ = std::get<LimitKind>(GetParam()).limit;
  /// Beyond what the engine has room for at first, unless a limit keeps it from getting there.
  const std::size_t steps_ = limit_.operations || limit_.bytes ? 1'000 : 5'000;
  CostLedger ledger_;
  std::unique_ptr<Engine> engine_;
};

TEST_P(EngineModel, LeavesWhatTheRulesSay) {
  for (const bool has_failures : {false, true}) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE("seed=" + std::to_string(seed));
      // With more reads a failure would poison everything for good.
      const WorkloadShape shape{
          .steps = steps_, .most_reads = has_failures ? 2U : 19U, .has_failures = has_failures};
      expect_outcome(random_workload(seed, shape), shape.variables);
      ASSERT_EQ(engine_->in_flight(), 0U);
      ASSERT_EQ(ledger_.committed(), 0U);
    }
  }
  if (limit_.operations) {
    EXPECT_LE(engine_->in_flight_peak(), *limit_.operations);
  }
  if (limit_.bytes) {
    EXPECT_LE(ledger_.shared_peak(), *limit_.bytes);
  }
}

// Few variables and short reads: long queues of waiting reads and writes on each.
TEST_P(EngineModel, LeavesWhatTheRulesSayWhereEverythingDependsOnEverything) {
  const WorkloadShape shape{.steps = 3'000, .variables = 3, .most_reads = 2, .has_failures = true};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    expect_outcome(random_workload(seed, shape), shape.variables);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, EngineModel,
                         ::testing::Combine(::testing::ValuesIn(kEngineKinds),
                                            ::testing::ValuesIn(kLimitKinds)),
                         [](const auto& parameters) {
                           return std::string(std::get<EngineKind>(parameters.param).name) +
                                  std::get<LimitKind>(parameters.param).name;
                         });

}  // namespace
}  // namespace runahead::engine::test
