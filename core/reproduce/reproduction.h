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

/// What became of the jobs of a plan.
class Reproduction {
 public:
  /// Of each job that has ended; `done` counts them. The record may be of any status.
  using OnEnd = std::function<void(const ReproduceJob& job, const record::Record& record,
                                   std::size_t done, std::size_t total)>;

  /// Runs a job of the Python loop: its record, whatever the status.
  /// @throws InterruptedError if the user asked to stop.
  using PythonRunner = std::function<record::Record(const ReproduceJob& job)>;

  /// How jobs are run, and who is told.
  struct Means {
    sweep::CellRunner& runner;
    PythonRunner run_in_python{};
    OnEnd on_end{};
  };

  /// Runs the jobs one after another, since each is timed, and blocks until all have ended or the
  /// user asked to stop. A training or a prediction during which something else had the CPU is run
  /// once more, and the second counts. To be called once.
  /// @throws UnavailableError as CellRunner::start.
  void run(const std::vector<ReproduceJob>& jobs, const Means& means);

  /// Tells noise from findings: runs again the jobs that claims rest on which were measured and not
  /// found as expected, and, where the second look differs from the first, a third time. Where on a
  /// device more than a quarter of the claims (and more than 3) are not as expected, that is no
  /// noise, and there nothing is run again. Blocks as run(), after which it is to be called, once.
  /// @param jobs  Those of run().
  void look_again(const std::vector<Claim>& claims, const std::vector<ReproduceJob>& jobs,
                  const Means& means);

  /// The verdicts on one device, of what was measured so far, over all looks. One that is not asked
  /// on `device` has no finding. @param claims  Must outlive the result.
  [[nodiscard]] std::vector<Verdict> verdicts(const std::vector<Claim>& claims,
                                              const std::string& device) const;

  [[nodiscard]] bool was_interrupted() const { return was_interrupted_; }

 private:
  using Look = std::map<std::string, Measured>;  ///< By device.

  void measure(const std::vector<ReproduceJob>& jobs, const Means& means);
  [[nodiscard]] std::vector<ReproduceJob> open_jobs(const std::vector<Claim>& claims,
                                                    const std::vector<ReproduceJob>& jobs) const;

  std::vector<Look> looks_{};
  bool was_interrupted_ = false;
};

}  // namespace runahead::reproduce
