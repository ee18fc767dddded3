#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/scratch_folder.h"
#include "core/slurm/slurm_cell_runner.h"
#include "core/sweep/sweep_fixtures.h"
#include "fake_slurm.h"

namespace runahead::slurm::test {

/// A sweep of three cells in a folder of its own, on a fake Slurm.
class RunnerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path sweep_folder() const { return scratch_.path() / "sweep"; }

  [[nodiscard]] SlurmOptions options() const {
    SlurmOptions options;
    options.folder = sweep_folder();
    options.runahead = "/opt/runahead";
    options.cell_program = "/opt/runahead-cell";
    options.sweep = {{"seeds", 3}};
    return options;
  }

  [[nodiscard]] std::unique_ptr<sweep::CellRunner> make_runner(const SlurmOptions& with) {
    return make_slurm_cell_runner({std::shared_ptr<void>(), &slurm_}, with, plan_);
  }
  [[nodiscard]] std::unique_ptr<sweep::CellRunner> make_runner() { return make_runner(options()); }

  /// As a sweep does.
  void start_all(sweep::CellRunner& runner) const {
    for (const sweep::CellJob& job : plan_.jobs) {
      static_cast<void>(runner.interrupted());
      runner.start(plan_.cells[job.cell], job);
    }
  }

  static std::vector<sweep::CellResult> wait_for(sweep::CellRunner& runner, std::size_t count) {
    std::vector<sweep::CellResult> results;
    while (results.size() < count) results.push_back(runner.wait_any());
    runner.finish();  // As a sweep does in the end.
    return results;
  }

  std::vector<sweep::CellResult> wait_for_all(sweep::CellRunner& runner) const {
    return wait_for(runner, plan_.jobs.size());
  }

  /// A whole sweep.
  std::vector<sweep::CellResult> run_all(const SlurmOptions& with) {
    const auto runner = make_runner(with);
    start_all(*runner);
    return wait_for_all(*runner);
  }
  std::vector<sweep::CellResult> run_all() { return run_all(options()); }

  /// In the order of the results.
  static std::vector<record::Status> statuses_of(const std::vector<sweep::CellResult>& results) {
    std::vector<record::Status> statuses;
    for (const sweep::CellResult& result : results) statuses.push_back(result.record.status);
    return statuses;
  }

  static record::Status status_of_cell(const std::vector<sweep::CellResult>& results,
                                       std::size_t cell) {
    const auto found = std::find_if(results.begin(), results.end(),
                                    [&](const auto& result) { return result.job.cell == cell; });
    EXPECT_NE(found, results.end());
    return found->record.status;
  }

  /// A step each, as long as the array `job` is not there, then completes it.
  void complete_once_submitted(const std::string& job) {
    slurm_.steps.assign(20, [this, job] {
      if (slurm_.arrays.contains(job) && !slurm_.arrays.at(job).tasks.empty() &&
          slurm_.arrays.at(job).tasks.begin()->second.state == "PENDING") {
        slurm_.complete_all(job);
      }
    });
  }

  ScratchFolder scratch_;
  const sweep::Plan plan_ = sweep::test::plan_of_seeds(3, 1);
  FakeSlurm slurm_{plan_, sweep_folder()};
};

}  // namespace runahead::slurm::test
