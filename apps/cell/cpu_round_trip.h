#pragma once

#include <optional>

#include "core/experiment/thread_placement.h"

namespace runahead::cell {

/// How long a written cache line takes from the front end's CPU to the first worker's and back, in
/// nanoseconds. It decides what handing work over to the worker costs: some 50 ns if the two CPUs
/// share a cache, several hundred between sockets. Blocks for at most some 50 ms; to be called on
/// the front end's thread.
/// @return nullopt if the threads are not pinned or share a CPU.
[[nodiscard]] std::optional<double> measure_cpu_round_trip_ns(
    const experiment::ThreadPlacement& placement);

}  // namespace runahead::cell
