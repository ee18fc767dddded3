#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "core/engine/cost_ledger.h"
#include "core/engine/engine.h"
#include "core/engine/engine_kinds.h"

// The differential test. Seeded random workloads leave the same numbers, the same poison and the
// same errors on every engine within every limit as the rules do, applied step by step.
namespace runahead::engine::test {
namespace {

/// One step of a workload: computes a number from those it reads and stores it, or throws.
struct WorkloadStep {
  std::string name{};
  std::vector<std::size_t> reads{};
  std::size_t write = 0;
  AccessMode mode = AccessMode::kWrite;  ///< Of the write.
  bool fails = false;
  std::uint64_t salt = 0;
  std::uint64_t cost_bytes = 0;
  int priority = 0;
};

struct WorkloadShape {
  std::size_t steps = 5'000;
  std::size_t variables = 100;
  std::size_t most_reads = 19;
  std::uint64_t most_bytes = 60;  ///< Cost of a step.
  bool has_failures = false;      ///< About one step in 200.
};

/// What a workload leaves behind.
struct Outcome {
  std::vector<std::uint64_t> numbers{};
  std::vector<std::string> poison{};    ///< Per variable, the step that a wait for it reports.
  std::vector<std::string> reported{};  ///< The steps that wait_all reports after that, in order.
};

using Numbers = std::vector<std::uint64_t>;

// Neither commutative nor associative, so every change of order changes the result.
void run_step(const WorkloadStep& step, Numbers& numbers) {
  if (step.fails) throw std::runtime_error(step.name);
  std::uint64_t result = step.salt;
  for (const std::size_t read : step.reads) result = result * 6364136223846793005U + numbers[read];
  if (step.mode != AccessMode::kOverwrite) result ^= numbers[step.write] * 1442695040888963407U;
  numbers[step.write] = result;
}

// A variable listed in two modes is changed.
AccessMode mode_of_write(const WorkloadStep& step) {
  const bool is_read = std::ranges::count(step.reads, step.write) > 0;
  return is_read ? AccessMode::kWrite : step.mode;
}

/// The step whose failure keeps `step` from running.
std::optional<std::size_t> inherited_failure(
    const WorkloadStep& step, const std::vector<std::optional<std::size_t>>& poison) {
  std::optional<std::size_t> earliest;
  const auto inherit = [&](std::size_t variable) {
    if (poison[variable]) earliest = std::min(earliest.value_or(SIZE_MAX), *poison[variable]);
  };
  for (const std::size_t read : step.reads) inherit(read);
  if (mode_of_write(step) == AccessMode::kWrite) inherit(step.write);
  return earliest;
}

template <typename Wait>
std::string reported_by(const Wait& wait) {
  try {
    wait();
  } catch (const OperationError& error) {
    return error.operation_name();
  }
  return "";
}

/// Random steps, each with up to `most_reads` reads (with repetition, the written variable possibly
/// among them). Equal seeds give equal workloads.
std::vector<WorkloadStep> random_workload(std::uint64_t seed, const WorkloadShape& shape) {
  constexpr std::array kModes{AccessMode::kOverwrite, AccessMode::kOverwrite,
                              AccessMode::kOverwrite, AccessMode::kWrite,
                              AccessMode::kWrite,     AccessMode::kOrder};
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  std::vector<WorkloadStep> workload(shape.steps);
  for (std::size_t i = 0; i < shape.steps; ++i) {
    WorkloadStep& step = workload[i];
    step.name = std::to_string(i);
    step.reads.resize(below(shape.most_reads + 1));
    for (std::size_t& read : step.reads) read = below(shape.variables);
    step.write = below(shape.variables);
    step.mode = kModes[below(kModes.size())];
    step.fails = shape.has_failures && below(200) == 0;
    step.salt = random();
    step.cost_bytes = below(shape.most_bytes);
    step.priority = below(10) == 0 ? static_cast<int>(below(5)) - 2 : 0;
  }
  return workload;
}

/// The outcome of running the steps one after the other, by the rules alone.
Outcome expected_outcome(const std::vector<WorkloadStep>& steps, std::size_t variables) {
  Outcome outcome{.numbers = Numbers(variables, 1)};
  std::vector<std::optional<std::size_t>> poison(variables);
  std::set<std::size_t> unreported;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const WorkloadStep& step = steps[i];
    std::optional<std::size_t> failure = inherited_failure(step, poison);
    if (!failure && step.fails) {
      failure = i;
      unreported.insert(i);
    } else if (!failure) {
      run_step(step, outcome.numbers);
    }
    if (mode_of_write(step) != AccessMode::kOrder) poison[step.write] = failure;
  }
  for (const std::optional<std::size_t>& failed : poison) {
    outcome.poison.push_back(failed ? steps[*failed].name : "");
    if (failed) unreported.erase(*failed);
  }
  for (const std::size_t failed : unreported) outcome.reported.push_back(steps[failed].name);
  return outcome;
}

/// The outcome on an engine.
Outcome run_on(Engine& engine, const std::vector<WorkloadStep>& steps, std::size_t variables) {
  Outcome outcome{.numbers = Numbers(variables, 1)};
  std::vector<VariablePtr> tags(variables);
  for (VariablePtr& tag : tags) tag = make_variable();
  for (const WorkloadStep& step : steps) {
    Operation operation{.name = step.name,
                        .body = [&step, &outcome] { run_step(step, outcome.numbers); },
                        .cost_bytes = step.cost_bytes,
                        .priority = step.priority};
    for (const std::size_t read : step.reads) {
      operation.accesses.push_back({tags[read], AccessMode::kRead});
    }
    operation.accesses.push_back({tags[step.write], step.mode});
    engine.push(std::move(operation));
  }
  for (const VariablePtr& tag : tags) {
    outcome.poison.push_back(reported_by([&] { engine.wait_for(tag); }));
  }
  for (std::string name; !(name = reported_by([&] { engine.wait_all(); })).empty();) {
    outcome.reported.push_back(name);
  }
  return outcome;
}

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
