#pragma once

#include <cstdint>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"

namespace runahead::apps {

struct MonitorBenchSizes {
  double work_seconds = 0.5;  ///< Of the fixed work, on each CPU.
  std::uint64_t peak_bytes = 100'000'000;
  std::int64_t least_rounds = 31;  ///< Of those that the slowdown is a mean of.
};

/// What the memory monitor costs while every CPU is busy, and how near it comes to a peak.
///
/// @return `cpu_share_1000hz`, `cpu_share_10000hz` (of one CPU, of the sampling thread),
///         `slowdown_1000hz` (time of a fixed amount of work over its time without a monitor; 1 =
///         none; the geometric mean of `slowdown_1000hz_pairs` rounds), `missed_share`, and
///         `peak_error`, the share by which the sampled peak misses VmHWM, and `peak_error_bytes`,
///         of the worst of the shapes; each with _min and _max, and `peaks` with those of each
///         shape. Null where VmHWM cannot be reset.
[[nodiscard]] Json bench_monitor(const MonitorBenchSizes& sizes, const BenchOptions& options);

/// What bench_monitor returned, as a table.
[[nodiscard]] std::string monitor_bench_table(const Json& figures);

}  // namespace runahead::apps
