#pragma once

#include <optional>
#include <vector>

#include "core/base/cpu_claim.h"
#include "core/config/experiment_config.h"

namespace runahead::experiment {

/// Which CPUs the threads of a run use.
struct ThreadPlacement {
  std::vector<int> allowed_cpus{};     ///< Those the process may use; the monitor runs on them.
  std::optional<int> front_end_cpu{};  ///< nullopt: not pinned.
  std::vector<int> worker_cpus{};      ///< Worker w runs on the w-th, cyclic; empty: not pinned.
  std::optional<CpuClaim> claim{};     ///< Claims the CPUs above; nullopt: not pinned.
  int front_end_intra_op = 1;          ///< Threads per operation that the front end executes.
};

/// Places the front end on the first allowed CPU, in the order of order_for_threads(), that no
/// other run claims, and the workers on the following ones in turn (all on the first if there is no
/// other). If too few CPUs are free, runs
/// share them. Threads are not pinned if the config says so, or if operations use several threads
/// each, because LibTorch's pool inherits the CPU affinity of the thread that creates it.
///
/// Where workers execute the operations, the front end has one intra-op thread: once the threads of
/// both exceed the CPUs, OpenMP's threads sleep between operations instead of spinning, which makes
/// short operations up to 1.4 times as long.
/// @param workers       Threads besides the front end, at least 0.
/// @param allowed_cpus  At least one.
[[nodiscard]] ThreadPlacement place_threads(const config::ThreadsConfig& config, int workers,
                                            std::vector<int> allowed_cpus);

/// Pins the calling thread as the front end and sets LibTorch's number of threads per operation.
void apply_to_front_end(const ThreadPlacement& placement);

}  // namespace runahead::experiment
