#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/reproduce/claims.h"
#include "core/reproduce/run_plan.h"
#include "core/sweep/cell_runner.h"

namespace runahead::reproduce {

/// Runs the jobs of a plan and keeps their measurements.
class Reproduction {
 public:
  /// How jobs run, and which callbacks observe them.
  struct Means {
    sweep::CellRunner& runner;
    /// Runs a job of the Python loop and returns its record, whatever its status.
    /// @throws InterruptedError if the user asked to stop.
    std::function<record::Record(const ReproduceJob& job)> run_in_python{};
    /// Called after each job; `done` counts the jobs that have ended. The record may have any
    /// status.
    std::function<void(const ReproduceJob& job, const record::Record& record, std::size_t done,
                       std::size_t total)>
        on_end{};
    /// Called about four times a second while the runner runs a job; `done` jobs have ended. May be
    /// empty.
    std::function<void(const ReproduceJob& job, const sweep::RunnerActivity& activity,
                       std::size_t done, std::size_t total)>
        on_look{};
  };

  /// Runs the jobs one after another, since each is timed. Blocks until all have ended or the user
  /// asks to stop. Repeats a training or prediction once if other programs used the CPU meanwhile;
  /// then the second run counts. Call it once.
  ///
  /// Separates noise from findings: if a claim was measured but not found as expected, its jobs run
  /// again, and a third time if the second attempt differs from the first. If more than a quarter
  /// of a device's claims (and more than 3) are not as expected, the cause is not noise, and
  /// nothing runs again on that device.
  /// @throws UnavailableError as CellRunner::start does.
  void run(const std::vector<ReproduceJob>& jobs, const std::vector<Claim>& claims,
           const Means& means);

  /// The verdicts on one device over all attempts so far. A claim that is not asked on `device` has
  /// no finding. @param claims  Must outlive the result.
  [[nodiscard]] std::vector<Verdict> verdicts(const std::vector<Claim>& claims,
                                              const std::string& device) const;

  [[nodiscard]] bool was_interrupted() const { return was_interrupted_; }

 private:
  using Attempt = std::map<std::string, Measured>;  ///< By device.

  void measure(const std::vector<ReproduceJob>& jobs, const Means& means);
  [[nodiscard]] std::vector<ReproduceJob> open_jobs(const std::vector<Claim>& claims,
                                                    const std::vector<ReproduceJob>& jobs) const;

  std::vector<Attempt> attempts_{};
  bool was_interrupted_ = false;
};

}  // namespace runahead::reproduce
