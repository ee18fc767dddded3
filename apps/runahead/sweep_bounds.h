#pragma once

#include <vector>

#include "core/record/condition.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"

namespace runahead::apps {

/// Reports on stderr, run by run, which conditions of `--fail-if` the runs of a plan fail, those of
/// earlier sweeps included; a run without a record is not judged. Reads the records once more: some
/// 0.1 ms each. @return Whether any fails.
[[nodiscard]] bool report_failures(const std::vector<record::Condition>& conditions,
                                   const sweep::Plan& plan, const sweep::RecordStore& store);

}  // namespace runahead::apps
