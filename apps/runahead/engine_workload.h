#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/engine/operation.h"

namespace runahead::apps {

/// Shapes of dependencies between operations.
enum class EngineShape {
  kIndependent,  ///< Each changes a variable of its own.
  kChain,        ///< All change one variable.
  kRandomDag,    ///< 100 variables: each reads 1 to 19 of them and changes one more.
};

/// Operations of a measurement, by their bodies.
struct EngineWorkloadSizes {
  std::size_t empty_operations = 100'000;
  std::size_t busy_operations = 5'000;
};

/// What one measurement of the engine gave.
struct EngineFigures {
  double push_ns = 0.0;
  double operations_per_second = 0.0;
  double cpu_share = 0.0;  ///< CPU time of the process over wall time, of the part that counts.
};

/// One measurement: an engine with `workers` of its own (0: the naive one), `operations` of a
/// shape. Equal arguments give equal operations.
struct EngineWorkload {
  EngineShape shape = EngineShape::kChain;
  int workers = 1;
  std::size_t operations = 1;
  double body_seconds = 0.0;  ///< 0: empty bodies, and no gate.

  /// Blocks until all have run. @param worker_cpus  CPU of each worker, cyclic; empty: not pinned.
  [[nodiscard]] EngineFigures measure(const std::vector<int>& worker_cpus) const;
};

}  // namespace runahead::apps
