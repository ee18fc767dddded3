#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/engine/engine.h"

namespace runahead::engine::test {

/// One step of a workload: writes a number made of those it reads and of the one it writes.
struct WorkloadStep {
  std::vector<std::size_t> reads{};
  std::size_t write = 0;
  bool overwrites = false;  ///< Does not look at what was there.
  std::uint64_t salt = 0;
};

/// `steps` random steps over `variables` variables, each with 1 to `most_reads` reads (with
/// repetition, the written one possibly among them). Equal seeds give equal workloads.
std::vector<WorkloadStep> random_workload(std::uint64_t seed, std::size_t steps,
                                          std::size_t variables, std::size_t most_reads);

using Numbers = std::vector<std::uint64_t>;

/// The numbers after all steps, one after the other, on this thread.
Numbers run_serially(const std::vector<WorkloadStep>& steps, std::size_t variables);

/// The same on an engine, waited for at the end.
Numbers run_on(Engine& engine, const std::vector<WorkloadStep>& steps, std::size_t variables);

}  // namespace runahead::engine::test
