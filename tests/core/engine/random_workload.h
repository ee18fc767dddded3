#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/engine.h"

namespace runahead::engine::test {

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

/// Random steps, each with up to `most_reads` reads (with repetition, the written variable possibly
/// among them). Equal seeds give equal workloads.
std::vector<WorkloadStep> random_workload(std::uint64_t seed, const WorkloadShape& shape);

/// What a workload leaves behind.
struct Outcome {
  std::vector<std::uint64_t> numbers{};
  std::vector<std::string> poison{};    ///< Per variable, the step that a wait for it reports.
  std::vector<std::string> reported{};  ///< The steps that wait_all reports after that, in order.
};

/// The outcome of running the steps one after the other, by the rules alone.
Outcome expected_outcome(const std::vector<WorkloadStep>& steps, std::size_t variables);

/// The outcome on an engine.
Outcome run_on(Engine& engine, const std::vector<WorkloadStep>& steps, std::size_t variables);

}  // namespace runahead::engine::test
