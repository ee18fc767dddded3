#pragma once

#include <optional>
#include <vector>

#include "core/config/experiment_config.h"

namespace runahead::experiment {

/// Which CPUs the threads of a run use.
struct ThreadPlacement {
  std::vector<int> allowed_cpus{};     ///< Those the process was given: the monitor's.
  std::optional<int> front_end_cpu{};  ///< nullopt: not pinned.
  std::vector<int> worker_cpus{};      ///< Worker w runs on the w-th, cyclic; empty: not pinned.
};

/// The front end on the first allowed CPU, worker w on the following ones in turn (all on the first
/// if there is no other). Not pinned when the config says so, or when operations use several
/// threads each: LibTorch's pool inherits the CPU of the thread that makes it.
/// @param allowed_cpus  At least one.
[[nodiscard]] ThreadPlacement place_threads(const config::ThreadsConfig& config,
                                            std::vector<int> allowed_cpus);

/// Pins the calling thread as the front end and sets how many threads LibTorch uses an operation.
void apply_to_front_end(const ThreadPlacement& placement, const config::ThreadsConfig& config);

}  // namespace runahead::experiment
