#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "apps/runahead/engine_workload.h"
#include "core/base/json.h"
#include "core/sweep/cell_runner.h"

/// What `runahead bench` measures: one function for each benchmark, and one for the table of its
/// figures.
namespace runahead::apps {

/// Measures one device ("cpu" or "acpu") in a process of its own, and returns what `runahead-cell
/// bench-dispatch` prints: {"cpu_share": S, "cpu_round_trip_ns": R, "figures": {workload: {figure:
/// value}}}, times in µs, but R in ns; R is null for cpu and where the
/// threads share a CPU.
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

/// What a bound on run-ahead costs in throughput and saves in memory, for the d2l MLP on `acpu`.
/// Compares the policies `none`, `every_batch`, `window2`, `budget` and `adaptive` side by side in
/// 12 cells: data made on the host and on the device, 1 and 2 workers, each allocation model. The 6
/// cells with 1 worker run again with a source that takes as much front-end time as a step of
/// `every_batch`, and with the additional policy `full_wait`: an `every_batch` that waits for
/// everything issued. The `every_batch` of the tutorials waits only for the loss, so the rest of
/// the step overlaps with the source; without a second batch, nothing can run further ahead.
///
/// A cell first runs `every_batch` once, uncounted: `budget` is 1.1 times its peak of live bytes
/// with 1 worker, 1.6 times with 2. Every run is a separate process. A round in which something
/// else used the CPU is repeated (sweep::had_the_cpu).
///
/// @return {"none": P, "every_batch": P, "window2": P, "budget": P, "adaptive": P, "cells": [C…],
///         "slow_source": the same for the slow source, with "full_wait": P}.
///         C: {"data", "workers", "allocation", "budget_bytes", "seconds_per_batch" (of the
///         source), and by policy P, or null if it failed}. P of a cell, each the median over the
///         rounds with _min and _max: `examples_per_second`, `growth_bytes` (of RSS), `peak_bytes`
///         (highest sum of live bytes and queued inputs), and within rounds `throughput_over_none`,
///         `throughput_over_every_batch`, `growth_over_every_batch`, `peak_over_every_batch`, and
///         for the slow source `throughput_over_full_wait`. P of all cells: for ratios the
///         geometric mean of the cells' medians, for bytes the median, with the minimum and the
///         maximum over the cells as _min and _max; null if no cell has it.
/// @throws InterruptedError if the user asked to stop; ConfigError if `options.only` names no cell;
///         Error if nothing could be measured.
[[nodiscard]] Json bench_limits(sweep::CellRunner& runner, const BenchOptions& options);

/// The result of bench_limits, as tables.
[[nodiscard]] std::string limits_bench_table(const Json& figures);

struct MonitorBenchSizes {
  double work_seconds = 0.5;  ///< Duration of the fixed work on each CPU.
  std::uint64_t peak_bytes = 100'000'000;
  std::int64_t least_rounds = 31;  ///< Minimum number of rounds for the mean slowdown.
};

/// The cost of the memory monitor while every CPU is busy, and the error of its sampled peak.
///
/// @return `cpu_share_1000hz`, `cpu_share_10000hz` (share of one CPU used by the sampling thread),
///         `slowdown_1000hz` (time of a fixed amount of work over its time without a monitor; 1 if
///         there is no slowdown; the geometric mean of `slowdown_1000hz_pairs` rounds),
///         `missed_share`, and for the worst of the shapes `peak_error`, the share by which the
///         sampled peak misses VmHWM, and `peak_error_bytes`; each with _min and _max; and `peaks`
///         with the errors of each shape. Null if VmHWM cannot be reset. `cost_repeats` is the
///         number of rounds of the first four.
[[nodiscard]] Json bench_monitor(const MonitorBenchSizes& sizes, const BenchOptions& options);

/// The result of bench_monitor, as a table.
[[nodiscard]] std::string monitor_bench_table(const Json& figures);

struct SweepBenchPrograms {
  std::filesystem::path runahead{};
  std::filesystem::path stub_cell{};  ///< A cell that only writes a record.
};

/// The cost of `runahead sweep` beyond its cells, which do nothing: measures whole sweeps, as a
/// user starts them, with a time limit and a memory limit, one job, each in a fresh folder below
/// the system's temporary folder.
///
/// @return For sweeps of `cells` cells, each with _min and _max, in ms per cell:
///         `wall_ms_per_cell`, from the start of the sweep's process to its end;
///         `cells_wall_ms_per_cell`, the part that the sweep attributes to its cells (forks,
///         joining a cgroup, the program); `overhead_ms_per_cell`, the rest; `cell_alone_ms`, the
///         time of the program started without a sweep; `added_ms_per_cell`, the wall time beyond
///         that; the same keys in `without_memory_limit`. In `large`, for one sweep of ten times as
///         many cells, run once: `cells`, `wall_ms_per_cell`, `parent_rss_peak_bytes`; for the same
///         command again, which has nothing left to run, `resume_rss_peak_bytes` and
///         `resume_seconds`; and for writing the script for Slurm `slurm_script_rss_peak_bytes`,
///         which is at least the RSS of this process.
[[nodiscard]] Json bench_sweep(const SweepBenchPrograms& programs, const BenchOptions& options);

/// The result of bench_sweep, as a table.
[[nodiscard]] std::string sweep_bench_table(const Json& figures);

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

/// Measures in a separate process, and returns what `runahead-cell bench-transfer` prints:
/// {"cpu_share": S, "sizes": [{"bytes": N, "copies": N, WAY: {"gb_per_second": X, "issue_us": X}}]}
/// with the WAYs pageable_blocking, pageable_non_blocking, pinned_blocking, pinned_non_blocking.
using TransferProcess = std::function<Json()>;

/// The entry `cuda` in the output of `devices --json`.
/// @throws UnavailableError with the reason if the device is not available.
[[nodiscard]] Json find_transfer_device(const Json& devices);

/// Measures copies of 4 KiB to 256 MiB from the host to a CUDA device: from pageable and from
/// pinned memory, with calls that wait for the copy and with calls that do not.
///
/// @return {"sizes": [{"bytes", "copies" (measured together), and for each way `gb_per_second`
///         (10^9 bytes, until the last copy is done) and `issue_us` (until a call has returned),
///         and within rounds `pinned_over_pageable` (gb_per_second of the two ways that don't wait)
///         and `issue_over_blocking` (issue_us of pinned memory, not waiting over waiting)}]}, each
///         with _min and _max.
/// @throws what `measure` throws.
[[nodiscard]] Json bench_transfer(const TransferProcess& measure, const BenchOptions& options);

/// The result of bench_transfer, as tables.
[[nodiscard]] std::string transfer_bench_table(const Json& figures);

}  // namespace runahead::apps
