#include "core/slurm/array_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/config/experiment_config.h"
#include "core/sweep/sweep_fixtures.h"
#include "fake_slurm.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::slurm {
namespace {

using ::testing::HasSubstr;

config::ExperimentConfig config_of(const Json& document) {
  return config::read_experiment(document, "test");
}

TEST(ArrayDraft, CountsTheCpusThatACellKeepsBusy) {
  EXPECT_EQ(cpus_of(config_of({{"experiment", "train"}, {"device", "cpu"}})), 1);
  EXPECT_EQ(cpus_of(config_of({{"experiment", "train"}, {"device", "acpu"}})), 2);
  EXPECT_EQ(cpus_of(config_of({{"experiment", "train"},
                               {"device", "acpu"},
                               {"acpu", {{"workers", 3}}},
                               {"threads", {{"intra_op", 2}}}})),
            7);
}

class ArrayDraftTest : public ::testing::Test {
 protected:
  [[nodiscard]] ArraySettings settings() const {
    return {.folder = scratch_.path() / "sweep",
            .runahead = "/opt/runahead",
            .cell_program = "/opt/runahead-cell"};
  }

  runahead::test::TemporaryFolder scratch_;
  test::FakeSlurm slurm_;
  SlurmClient client_{slurm_};
  const sweep::Plan plan_ = sweep::test::plan_of_seeds(2, 1);
};

TEST_F(ArrayDraftTest, LeavesAllThatATaskAndAResumeNeed) {
  ArrayDraft draft(settings());
  draft.add(plan_.cells[0], {.job = {0, 0}});
  draft.add(plan_.cells[1], {.job = {1, 0}});
  const ActiveArray array = draft.submit(client_);

  EXPECT_EQ(array.job_id(), "1");
  EXPECT_EQ(array.folder().read_job_id(), "1");
  EXPECT_EQ(array.tasks().read(1).cell.id, plan_.cells[1].id);
  EXPECT_EQ(array.header().cells_folder, settings().folder / "cells");
  EXPECT_THAT(slurm_.scripts[0], HasSubstr("--job-name=" + array.header().name + "\n"));
  EXPECT_THAT(slurm_.scripts[0], HasSubstr("--cpus-per-task=2\n"));
}

TEST_F(ArrayDraftTest, GivesEveryArrayANameOfItsOwn) {
  ArrayDraft first(settings());
  ArrayDraft second(settings());
  first.add(plan_.cells[0], {.job = {0, 0}});
  second.add(plan_.cells[0], {.job = {0, 0}});

  EXPECT_NE(first.submit(client_).header().name, second.submit(client_).header().name);
}

TEST_F(ArrayDraftTest, LeavesNothingWhenItIsDiscarded) {
  ArrayDraft draft(settings());
  draft.add(plan_.cells[0], {.job = {0, 0}});
  draft.discard();

  EXPECT_TRUE(std::filesystem::is_empty(arrays_folder(settings().folder)));
}

}  // namespace
}  // namespace runahead::slurm
