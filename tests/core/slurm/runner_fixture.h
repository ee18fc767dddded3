#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/slurm/slurm_cell_runner.h"
#include "core/sweep/sweep_fixtures.h"
#include "fake_slurm.h"
#include "support/temporary_folder.h"

namespace runahead::slurm::test {

/// A sweep of three cells in a folder of its own, on a Slurm in memory.
class RunnerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path sweep_folder() const { return scratch_.path() / "sweep"; }

  [[nodiscard]] SlurmOptions options() const {
    SlurmOptions options;
    options.array.folder = sweep_folder();
    options.array.runahead = "/opt/runahead";
    options.array.cell_program = "/opt/runahead-cell";
    return options;
  }

  /// As a sweep does, which asks before each start whether it is to stop.
  void start_all(SlurmCellRunner& runner) const {
    for (const sweep::CellJob& job : plan_.jobs) {
      static_cast<void>(runner.interrupted());
      runner.start(plan_.cells[job.cell], job);
    }
  }

  static std::vector<sweep::CellResult> wait_for(SlurmCellRunner& runner, std::size_t count) {
    std::vector<sweep::CellResult> results;
    while (results.size() < count) results.push_back(runner.wait_any());
    runner.finish();  // As a sweep does in the end.
    return results;
  }

  std::vector<sweep::CellResult> wait_for_all(SlurmCellRunner& runner) const {
    return wait_for(runner, plan_.jobs.size());
  }

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

  runahead::test::TemporaryFolder scratch_;
  FakeSlurm slurm_;
  const sweep::Plan plan_ = sweep::test::plan_of_seeds(3, 1);
};

}  // namespace runahead::slurm::test
