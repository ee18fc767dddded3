#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/record/condition.h"
#include "core/record/record.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"
#include "core/sweep/sweep.h"

/// What `sweep` says on stderr except its progress.
namespace runahead::apps {

/// Reports on stderr, run by run, which conditions of `--fail-if` the runs of a plan fail,
/// including runs of earlier sweeps. Runs without a record are not judged. Reads the records again,
/// which takes about 0.1 ms each. @return Whether any run fails.
[[nodiscard]] bool report_failures(const std::vector<record::Condition>& conditions,
                                   const sweep::Plan& plan, const sweep::RecordStore& store);

/// The states that `--retry` names. @throws ConfigError for other words, and for `ok`.
[[nodiscard]] std::set<record::Status> states_to_retry(const std::vector<std::string>& names);

/// If nothing was left to run, reports on stderr how to rerun the cells that did not end ok.
void suggest_retry(const sweep::Plan& plan, const sweep::SweepResult& result);

/// Warns on stderr before a sweep if more cells run at once than there are CPUs, because they then
/// take longer, and run ahead less, than they do alone.
void warn_of_shared_cpus(int jobs);

/// Warns on stderr after a sweep, or a shard of one, about the runs of its plan that shared CPUs.
void warn_of_shared_cpus(const sweep::Plan& plan, const sweep::SweepResult& result);

}  // namespace runahead::apps
