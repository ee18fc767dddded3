#pragma once

#include "core/sweep/sweep.h"

namespace runahead::apps {

/// Warns on stderr before a sweep if more cells run at once than there are CPUs, because they then
/// take longer, and run ahead less, than they do alone.
void warn_of_shared_cpus(int jobs);

/// Warns on stderr after a sweep, or a shard of one, about the runs of its plan that shared CPUs.
void warn_of_shared_cpus(const sweep::Plan& plan, const sweep::SweepResult& result);

}  // namespace runahead::apps
