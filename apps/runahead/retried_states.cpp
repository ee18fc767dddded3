#include "apps/runahead/retried_states.h"

#include <optional>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/text.h"

namespace runahead::apps {

std::set<record::Status> states_to_retry(const std::vector<std::string>& names) {
  std::set<record::Status> states;
  for (const std::string& name : names) {
    const std::optional<record::Status> state = record::status_of(name);
    if (!state || *state == record::Status::kOk) {
      throw ConfigError("--retry: found '" + name +
                        "'; allowed: failed, crashed, timed_out, out_of_memory, skipped, "
                        "separated by commas (interrupted runs are run again anyway)");
    }
    states.insert(*state);
  }
  return states;
}

void suggest_retry(const sweep::Plan& plan, const sweep::SweepResult& result) {
  std::set<std::string> states;
  for (const sweep::CellJob& job : plan.jobs) {
    const auto& run = result.runs[job.cell][static_cast<std::size_t>(job.repeat)];
    if (!run || run->status == record::Status::kInterrupted) return;
    if (run->status != record::Status::kOk) states.insert(std::string(name_of(run->status)));
  }
  if (states.empty() || result.cost.runs > 0) return;
  log_info("every run has ended; `--retry " + joined(states, ",") +
           "` reruns the cells that failed or did not finish");
}

}  // namespace runahead::apps
