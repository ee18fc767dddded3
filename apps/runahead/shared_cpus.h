#pragma once

#include "core/sweep/sweep.h"

namespace runahead::apps {

/// Warns on stderr, before a sweep, if more cells run at once than there are CPUs: they then take
/// longer, and run ahead less, than they do alone.
void warn_of_shared_cpus(int jobs);

/// Warns after it of the runs that did share CPUs.
void warn_of_shared_cpus(const sweep::SweepResult& result);

}  // namespace runahead::apps
