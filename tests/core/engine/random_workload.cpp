#include "core/engine/random_workload.h"

#include <random>

namespace runahead::engine::test {
namespace {

// Not commutative and not associative, so that every change of order changes the result.
void run_step(const WorkloadStep& step, Numbers& numbers) {
  std::uint64_t result = step.salt;
  for (const std::size_t read : step.reads) result = result * 6364136223846793005U + numbers[read];
  if (!step.overwrites) result ^= numbers[step.write] * 1442695040888963407U;
  numbers[step.write] = result;
}

}  // namespace

std::vector<WorkloadStep> random_workload(std::uint64_t seed, std::size_t steps,
                                          std::size_t variables, std::size_t most_reads) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  std::vector<WorkloadStep> workload(steps);
  for (WorkloadStep& step : workload) {
    step.reads.resize(1 + below(most_reads));
    for (std::size_t& read : step.reads) read = below(variables);
    step.write = below(variables);
    step.overwrites = below(4) == 0;
    step.salt = random();
  }
  return workload;
}

Numbers run_serially(const std::vector<WorkloadStep>& steps, std::size_t variables) {
  Numbers numbers(variables, 1);
  for (const WorkloadStep& step : steps) run_step(step, numbers);
  return numbers;
}

Numbers run_on(Engine& engine, const std::vector<WorkloadStep>& steps, std::size_t variables) {
  Numbers numbers(variables, 1);
  std::vector<VariablePtr> tags(variables);
  for (VariablePtr& tag : tags) tag = make_variable();
  for (const WorkloadStep& step : steps) {
    Operation operation{.name = "step", .body = [&step, &numbers] { run_step(step, numbers); }};
    for (const std::size_t read : step.reads) {
      operation.accesses.push_back({tags[read], AccessMode::kRead});
    }
    operation.accesses.push_back(
        {tags[step.write], step.overwrites ? AccessMode::kOverwrite : AccessMode::kWrite});
    engine.push(std::move(operation));
  }
  engine.wait_all();
  return numbers;
}

}  // namespace runahead::engine::test
