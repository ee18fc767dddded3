#include "apps/runahead/shared_cpus.h"

#include <string>

#include "core/base/affinity.h"
#include "core/base/log.h"
#include "core/base/number_text.h"

namespace runahead::apps {

void warn_of_shared_cpus(int jobs) {
  const std::size_t cpus = allowed_cpus().size();
  if (static_cast<std::size_t>(jobs) <= cpus) return;
  log_warning(std::to_string(jobs) + " cells at once share " + counted(cpus, "CPU") +
              ": their times and batches in flight do not compare with those of cells that run "
              "alone; --jobs up to " +
              std::to_string(cpus) + " gives each a CPU");
}

void warn_of_shared_cpus(const sweep::Plan& plan, const sweep::SweepResult& result) {
  std::size_t known = 0;
  std::size_t shared = 0;
  for (const sweep::CellJob& job : plan.jobs) {
    const auto& run = result.runs[job.cell][static_cast<std::size_t>(job.repeat)];
    known += std::size_t{run.has_value()};
    shared += std::size_t{run && run->shared_cpus};
  }
  if (shared == 0) return;
  log_warning(std::to_string(shared) + " of " + counted(known, "run") +
              " shared CPUs: do not compare their times and batches in flight with others; their "
              "records say so (environment.cpus_shared)");
}

}  // namespace runahead::apps
