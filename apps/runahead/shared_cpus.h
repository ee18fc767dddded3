#pragma once

#include "core/sweep/sweep.h"

namespace runahead::apps {

/// Warns on stderr before a sweep if more cells run at once than there are CPUs, because they then
/// take longer, and run ahead less, than they do alone.
void warn_of_shared_cpus(int jobs);

/// Warns on stderr after a sweep about the runs that shared CPUs.
void warn_of_shared_cpus(const sweep::SweepResult& result);

}  // namespace runahead::apps
