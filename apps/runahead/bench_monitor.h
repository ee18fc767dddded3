#pragma once

#include <cstdint>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"

namespace runahead::apps {

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
///         with the errors of each shape. Null if VmHWM cannot be reset.
[[nodiscard]] Json bench_monitor(const MonitorBenchSizes& sizes, const BenchOptions& options);

/// The result of bench_monitor, as a table.
[[nodiscard]] std::string monitor_bench_table(const Json& figures);

}  // namespace runahead::apps
