#pragma once

#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"
#include "core/sweep/cell_runner.h"

namespace runahead::apps {

/// Training throughput of `cpu` and of `acpu` with three sync policies: on the d2l MLP and on a
/// small one, each with a source that costs nothing and with one that costs as much front-end time
/// as a step takes on the CPU.
///
/// Every run of a case is a separate process. If its CPU time was under 0.9 of its wall time,
/// something else used the CPU.
///
/// @return {"mlp": G, "small": G, "slow_source": {"mlp": G, "small": G}}. G holds `cpu`, and `acpu`
///         with `every_batch`, `window2` and `none`, each {"examples_per_second": median, _min,
///         _max} or null if it failed, and also `every_batch_over_cpu`, _min, _max, ….
/// @throws InterruptedError if the user asked to stop; Error if `cpu` cannot be measured.
[[nodiscard]] Json bench_train(sweep::CellRunner& runner, const BenchOptions& options);

/// The result of bench_train, as a table.
[[nodiscard]] std::string train_bench_table(const Json& figures);

}  // namespace runahead::apps
