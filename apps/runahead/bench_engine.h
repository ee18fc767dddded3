#pragma once

#include <string>

#include "apps/runahead/bench_rounds.h"
#include "apps/runahead/engine_workload.h"
#include "core/base/json.h"

namespace runahead::apps {

/// The engine's cost per operation: three shapes of dependencies, on the naive engine and with 1, 2
/// and 4 workers, with empty bodies and with bodies of 10 µs. The calling thread pushes. It and the
/// workers are pinned to different CPUs as long as there are enough; the calling thread stays
/// pinned.
///
/// Bodies of 10 µs are pushed behind a gate, an operation that everything depends on and that ends
/// when the last one is pushed, so that pushing and running do not overlap. The naive engine has no
/// gate, because it runs each body inside its push.
///
/// @return {shape: {engine: {"empty": F, "busy_10us": F}}}, shapes `independent`, `chain`,
///         `random_dag`, engines `naive`, `workers_1`, `workers_2`, `workers_4`. F holds `push_ns`
///         (time of the pushing thread per operation), `operations_per_second` (from the first
///         push, or from the gate's end, until the last operation has finished) and
///         `operations_per_second_over_workers_1`, each with _min and _max.
[[nodiscard]] Json bench_engine(const EngineWorkloadSizes& sizes, const BenchOptions& options);

/// The result of bench_engine, as a table.
[[nodiscard]] std::string engine_bench_table(const Json& figures);

}  // namespace runahead::apps
