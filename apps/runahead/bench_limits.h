#pragma once

#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"
#include "core/sweep/cell_runner.h"

namespace runahead::apps {

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

}  // namespace runahead::apps
