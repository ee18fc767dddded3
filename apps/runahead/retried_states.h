#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "core/sweep/plan.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

/// The states that `--retry` names. @throws ConfigError for other words, and for `ok`.
[[nodiscard]] std::set<record::Status> states_to_retry(const std::vector<std::string>& names);

/// If nothing was left to run, reports on stderr how to rerun the cells that did not end ok.
void suggest_retry(const sweep::Plan& plan, const sweep::SweepResult& result);

}  // namespace runahead::apps
