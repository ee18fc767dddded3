#include "core/engine/random_workload.h"

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>

namespace runahead::engine::test {
namespace {

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

}  // namespace

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

}  // namespace runahead::engine::test
