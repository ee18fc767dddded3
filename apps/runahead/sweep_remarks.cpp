#include "apps/runahead/sweep_remarks.h"

#include <map>
#include <optional>

#include "apps/runahead/sweep_table.h"
#include "core/base/affinity.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/number_text.h"
#include "core/base/text.h"

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
