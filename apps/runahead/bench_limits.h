#pragma once

#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"
#include "core/sweep/cell_runner.h"

namespace runahead::apps {

/// What a bound on run-ahead costs in throughput and saves in memory, on the d2l MLP on `acpu`:
/// the policies `none`, `every_batch`, `window2`, `budget` and `adaptive` side by side, in 12
/// cells: data made on the host and on the device, 1 and 2 workers, each allocation model. In 6 of
/// them, those of 1 worker, once more with a source that takes as much front-end time as a step of
/// `every_batch` takes. There `full_wait` is added: an `every_batch` that waits for everything
/// issued. The `every_batch` of the tutorials waits only for the loss, so the rest of the step
/// overlaps with the source; without a second batch, nothing can run further ahead.
///
/// A cell first runs `every_batch` once, not counted: `budget` is 1.1 times the live bytes of its
/// peak with 1 worker, 1.6 times with 2. Every run is a process of its own; a round in which
/// something else had the CPU is repeated (sweep::had_the_cpu).
///
/// @return {"none": P, "every_batch": P, "window2": P, "budget": P, "adaptive": P, "cells": [C…],
///         "slow_source": the same of the slow source, and "full_wait": P}.
///         C: {"data", "workers", "allocation", "budget_bytes", "seconds_per_batch" (of the
///         source), and by policy P, or null if it failed}. P of a cell, each the median over the
///         rounds with _min and _max: `examples_per_second`, `growth_bytes` (of RSS), `peak_bytes`
///         (live bytes and queued inputs, the highest sum), and by rounds `throughput_over_none`,
///         `throughput_over_every_batch`, `growth_over_every_batch`, `peak_over_every_batch`, and
///         of the slow source `throughput_over_full_wait`. P of all cells: of each ratio the
///         geometric mean of the cells' medians, of bytes the median, with the least and the
///         greatest of the cells as _min and _max; null if no cell has it.
/// @throws InterruptedError if the user asked to stop; ConfigError if `options.only` names no cell;
///         Error if nothing could be measured.
[[nodiscard]] Json bench_limits(sweep::CellRunner& runner, const BenchOptions& options);

/// What bench_limits returned, as tables.
[[nodiscard]] std::string limits_bench_table(const Json& figures);

}  // namespace runahead::apps
