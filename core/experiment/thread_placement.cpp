#include "core/experiment/thread_placement.h"

#include <ATen/Parallel.h>

#include <utility>

#include "core/base/affinity.h"
#include "core/base/cpu_topology.h"
#include "core/base/error.h"

namespace runahead::experiment {

ThreadPlacement place_threads(const config::ThreadsConfig& config, int workers,
                              std::vector<int> allowed_cpus) {
  RUNAHEAD_REQUIRE(workers >= 0, "the number of workers must not be negative");
  RUNAHEAD_REQUIRE(!allowed_cpus.empty(), "the process has no CPU");
  ThreadPlacement placement{.allowed_cpus = std::move(allowed_cpus),
                            .front_end_intra_op = workers == 0 ? config.intra_op : 1};
  if (!config.pin || config.intra_op > 1) return placement;
  placement.claim.emplace(order_for_threads(placement.allowed_cpus),
                          static_cast<std::size_t>(workers) + 1);
  const std::vector<int>& cpus = placement.claim->cpus();
  placement.front_end_cpu = cpus.front();
  placement.worker_cpus.assign(cpus.size() > 1 ? cpus.begin() + 1 : cpus.begin(), cpus.end());
  return placement;
}

void apply_to_front_end(const ThreadPlacement& placement) {
  at::set_num_threads(placement.front_end_intra_op);
  if (placement.front_end_cpu) pin_calling_thread(*placement.front_end_cpu);
}

}  // namespace runahead::experiment
