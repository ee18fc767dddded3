#include "apps/runahead/sweep_bounds.h"

#include <map>
#include <string>

#include "apps/runahead/sweep_table.h"
#include "core/base/log.h"
#include "core/base/number_text.h"

namespace runahead::apps {

namespace {

constexpr std::size_t kMostLines = 20;

/// The runs of a plan, also of a shard's plan.
std::vector<sweep::CellJob> runs_of(const sweep::Plan& plan) {
  std::vector<sweep::CellJob> runs = plan.jobs;
  for (const std::size_t cell : plan.skipped) {
    for (std::int64_t repeat = 0; repeat < plan.repeats; ++repeat) runs.push_back({cell, repeat});
  }
  return runs;
}

}  // namespace

bool report_failures(const std::vector<record::Condition>& conditions, const sweep::Plan& plan,
                     const sweep::RecordStore& store) {
  if (conditions.empty()) return false;
  std::map<sweep::CellJob, std::vector<std::string>> failures_of_run;
  static_cast<void>(
      store.read_earlier(plan, [&](const sweep::CellJob& job, const record::Record& record) {
        const std::string axes = describe_axes(record.axes);
        const std::string run =
            axes + (axes.empty() ? "" : " ") + "repeat " + std::to_string(job.repeat);
        failures_of_run[job] = record::failures_of(conditions, record, run);
      }));
  std::size_t failures = 0;
  for (const sweep::CellJob& job : runs_of(plan)) {
    for (const std::string& failure : failures_of_run[job]) {
      if (++failures <= kMostLines) log_error(failure);
    }
  }
  if (failures > kMostLines) {
    log_error("--fail-if: " + counted(failures - kMostLines, "more failure"));
  }
  return failures > 0;
}

}  // namespace runahead::apps
