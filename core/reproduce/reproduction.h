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

  /// Runs the jobs one after another, since each is timed, and blocks until all have ended or the
  /// user asked to stop. A training or a prediction during which something else had the CPU is run
  /// once more, and the second counts. To be called once.
  /// @throws UnavailableError as CellRunner::start.
  void run(const std::vector<ReproduceJob>& jobs, sweep::CellRunner& runner,
           const PythonRunner& run_in_python, const OnEnd& on_end);

  /// The verdicts on one device, of what was measured so far.
  [[nodiscard]] std::vector<Verdict> verdicts(const std::vector<Claim>& claims,
                                              const std::string& device) const;

  [[nodiscard]] bool was_interrupted() const { return was_interrupted_; }

 private:
  std::map<std::string, Measured> measured_{};  ///< By device.
  bool was_interrupted_ = false;
};

}  // namespace runahead::reproduce
