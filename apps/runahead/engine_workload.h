#pragma once

#include <cstddef>
#include <vector>

namespace runahead::apps {

/// Shapes of dependencies between operations.
enum class EngineShape {
  kIndependent,  ///< Each operation changes its own variable.
  kChain,        ///< All operations change one variable.
  kRandomDag,    ///< 100 variables: each operation reads 1 to 19 of them and changes one more.
};

/// Numbers of operations in a measurement, by their bodies.
struct EngineWorkloadSizes {
  std::size_t empty_operations = 100'000;
  std::size_t busy_operations = 5'000;
};

/// The result of one measurement of the engine.
struct EngineFigures {
  double push_ns = 0.0;
  double operations_per_second = 0.0;
  double cpu_share = 0.0;  ///< CPU time of the process over wall time, in the measured part.
};

/// One measurement: an engine with `workers` workers (0 for the naive engine) and `operations`
/// operations of a shape. Equal arguments give equal operations.
struct EngineWorkload {
  EngineShape shape = EngineShape::kChain;
  int workers = 1;
  std::size_t operations = 1;
  double body_seconds = 0.0;  ///< 0 for empty bodies, without a gate.

  /// Blocks until all have run. @param worker_cpus  CPU of each worker, cyclic; if empty, unpinned.
  [[nodiscard]] EngineFigures measure(const std::vector<int>& worker_cpus) const;
};

}  // namespace runahead::apps
