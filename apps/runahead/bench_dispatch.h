#pragma once

#include <functional>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"

namespace runahead::apps {

/// Measures one device ("cpu" or "acpu") in a process of its own, and returns what `runahead-cell
/// bench-dispatch` prints: {"cpu_share": S, "cpu_round_trip_ns": R, "figures": {workload: {figure:
/// value}}}, times in µs; R is null where the threads share a CPU.
using DispatchProcess = std::function<Json(const std::string& device)>;

/// The cost of issuing an operation on `acpu`, compared with executing it on `cpu`.
///
/// @return For y = x + 1 `cpu_us_per_op`, `acpu_issue_us_per_op`, `acpu_total_us_per_op` (one wait
///         at the end), `acpu_waited_us_per_op` (a wait after each), `issue_over_cpu`,
///         `total_over_cpu`, `waited_over_cpu`, each with _min and _max; the same under `chained`,
///         `inplace`, `matmul64` and `mlp_step`. The last also has the issue keys for its parts
///         (`forward_cpu_us_per_op`, `backward_…`, `optimizer_…`), the number of operations that
///         each part issues (`forward_operations`), the cost of issuing one of them
///         (`forward_acpu_issue_us_per_operation`), and `hop_us`, what a backward costs more on
///         `acpu` before it issues anything. `cpu_round_trip_ns` is the time that a cache line
///         takes from the front end's CPU to the worker's and back.
/// @throws what `measure` throws.
[[nodiscard]] Json bench_dispatch(const DispatchProcess& measure, const BenchOptions& options);

/// The result of bench_dispatch, as a table.
[[nodiscard]] std::string dispatch_bench_table(const Json& figures);

}  // namespace runahead::apps
