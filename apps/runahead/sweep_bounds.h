#pragma once

#include <vector>

#include "core/record/condition.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"

namespace runahead::apps {

/// Reports on stderr, run by run, which conditions of `--fail-if` the runs of a plan fail,
/// including runs of earlier sweeps. Runs without a record are not judged. Reads the records again,
/// which takes about 0.1 ms each. @return Whether any run fails.
[[nodiscard]] bool report_failures(const std::vector<record::Condition>& conditions,
                                   const sweep::Plan& plan, const sweep::RecordStore& store);

}  // namespace runahead::apps
