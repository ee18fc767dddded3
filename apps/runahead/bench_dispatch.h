#pragma once

#include <functional>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"

namespace runahead::apps {

/// Measures one device ("cpu" or "acpu") in a process of its own, and returns what `runahead-cell
/// bench-dispatch` prints: {"cpu_share": S, "figures": {workload: {figure: value}}}, times in µs.
using DispatchProcess = std::function<Json(const std::string& device)>;

/// What it costs to issue an operation on `acpu`, compared with executing it on `cpu`.
///
/// @return For y = x + 1 `cpu_us_per_op`, `acpu_issue_us_per_op`, `acpu_total_us_per_op` (waited
///         once at the end), `acpu_waited_us_per_op` (waited after each), `issue_over_cpu`,
///         `total_over_cpu`, `waited_over_cpu`, each with _min and _max; the same under `chained`,
///         `inplace`, `matmul64` and `mlp_step`. The latter also has the keys of issuing for its
///         parts (`forward_cpu_us_per_op`, `backward_…`, `optimizer_…`), how many operations each
///         issues (`forward_operations`) and what issuing one costs
///         (`forward_acpu_issue_us_per_operation`), and `hop_us`, what the two hops between threads
///         cost that LibTorch makes for a backward.
/// @throws what `measure` throws.
[[nodiscard]] Json bench_dispatch(const DispatchProcess& measure, const BenchOptions& options);

/// What bench_dispatch returned, as a table.
[[nodiscard]] std::string dispatch_bench_table(const Json& figures);

}  // namespace runahead::apps
