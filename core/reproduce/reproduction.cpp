#include "core/reproduce/reproduction.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/sweep/single_run.h"

namespace runahead::reproduce {
namespace {

/// The other kinds of experiment repeat their own measurements.
bool is_timed_once(const config::ExperimentConfig& config) {
  return config.experiment == "train" || config.experiment == "predict";
}

record::Record run_job(const ReproduceJob& job, sweep::CellRunner& runner,
                       const std::function<void(const sweep::RunnerActivity&)>& on_look) {
  const sweep::Cell& cell = job.cell;
  record::Record record = sweep::run_cell(runner, cell, job.process, on_look);
  if (is_timed_once(cell.config) && !sweep::had_the_cpu(record, cell.config)) {
    record = sweep::run_cell(runner, cell, job.process, on_look);
  }
  return record;
}

/// Whether too many claims are not as expected for noise to be the cause.
bool is_no_noise(const std::vector<Verdict>& verdicts) {
  constexpr std::int64_t kFewClaims = 3;
  std::int64_t asked = 0;
  std::int64_t unmet = 0;
  for (const Verdict& verdict : verdicts) {
    if (verdict.expected == Expectation::kNotAsked) continue;
    ++asked;
    if (!verdict.is_met) ++unmet;
  }
  return unmet > std::max(kFewClaims, asked / 4);
}

}  // namespace

void Reproduction::run(const std::vector<ReproduceJob>& jobs, const std::vector<Claim>& claims,
                       const Means& means) {
  measure(jobs, means);
  while (!was_interrupted_ && attempts_.size() < kMostAttempts) {
    const std::vector<ReproduceJob> open = open_jobs(claims, jobs);
    if (open.empty()) return;
    measure(open, means);
  }
}

std::vector<Verdict> Reproduction::verdicts(const std::vector<Claim>& claims,
                                            const std::string& device) const {
  const Measured nothing;
  std::vector<const Measured*> attempts;
  for (const Attempt& attempt : attempts_) {
    const auto found = attempt.find(device);
    if (found != attempt.end()) attempts.push_back(&found->second);
  }
  if (attempts.empty()) attempts.push_back(&nothing);
  std::vector<Verdict> verdicts;
  for (const Claim& claim : claims) verdicts.push_back(judge(claim, device, attempts));
  return verdicts;
}

void Reproduction::measure(const std::vector<ReproduceJob>& jobs, const Means& means) {
  Attempt& attempt = attempts_.emplace_back();
  std::size_t done = 0;
  try {
    for (const ReproduceJob& job : jobs) {
      std::function<void(const sweep::RunnerActivity&)> on_look;
      if (means.on_look) {
        on_look = [&](const auto& activity) { means.on_look(job, activity, done, jobs.size()); };
      }
      const record::Record record =
          job.python.empty() ? run_job(job, means.runner, on_look) : means.run_in_python(job);
      attempt[job.device].add(job.run, record);
      means.on_end(job, record, ++done, jobs.size());
    }
  } catch (const InterruptedError&) {
    was_interrupted_ = true;
  }
}

/// The jobs that open verdicts rest on, as jobs of the next attempt.
std::vector<ReproduceJob> Reproduction::open_jobs(const std::vector<Claim>& claims,
                                                  const std::vector<ReproduceJob>& jobs) const {
  std::set<std::pair<std::string, std::string>> open;  // Device and run.
  std::map<std::pair<std::string, std::string>, std::int64_t> processes;
  for (const ReproduceJob& job : jobs) ++processes[{job.device, job.run}];
  for (const auto& [device, measured] : attempts_.front()) {
    const std::vector<Verdict> found = verdicts(claims, device);
    if (is_no_noise(found)) continue;
    for (const Verdict& verdict : found) {
      if (!verdict.is_open()) continue;
      for (const std::string& run : verdict.finding.runs) open.emplace(device, run);
    }
  }
  std::vector<ReproduceJob> again;
  for (const ReproduceJob& job : jobs) {
    const std::pair place{job.device, job.run};
    if (!open.contains(place)) continue;
    again.push_back(job);
    again.back().attempt = static_cast<std::int64_t>(attempts_.size());
    again.back().process += again.back().attempt * processes[place];
  }
  return again;
}

}  // namespace runahead::reproduce
