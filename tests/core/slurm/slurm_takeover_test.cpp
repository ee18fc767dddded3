// What a sweep does with the array of an earlier one that was killed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "core/slurm/slurm_cell_runner.h"
#include "runner_fixture.h"

namespace runahead::slurm {
namespace {

using record::Status;
using ::testing::Each;
using ::testing::ElementsAre;

class SlurmTakeoverTest : public test::RunnerTest {
 protected:
  /// A sweep that submits all its runs and is then killed.
  void submit_and_die(const SlurmOptions& with) {
    slurm_.steps = {[] { throw std::runtime_error("killed"); }};
    const auto runner = make_runner(with);
    start_all(*runner);
    EXPECT_THROW(static_cast<void>(runner->wait_any()), std::runtime_error);
  }
  void submit_and_die() { submit_and_die(options()); }
};

TEST_F(SlurmTakeoverTest, TakesOverAnArrayThatStillRuns) {
  SlurmOptions same = options();
  same.retry = {"failed", "crashed"};
  submit_and_die(same);
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};

  std::swap(same.retry[0], same.retry[1]);
  EXPECT_THAT(statuses_of(run_all(same)), Each(Status::kOk));
  EXPECT_EQ(slurm_.scripts.size(), 1U);
  EXPECT_TRUE(slurm_.calls_of("scancel").empty());
  EXPECT_FALSE(open_array(sweep_folder()).has_value());
}

TEST_F(SlurmTakeoverTest, SubmitsWhatAForgottenArrayLeftWithoutARecord) {
  submit_and_die();
  slurm_.leave_record("1", 1, Status::kOk);
  slurm_.array("1").tasks.clear();
  complete_once_submitted("2");

  EXPECT_THAT(statuses_of(run_all()), Each(Status::kOk));
  ASSERT_EQ(slurm_.scripts.size(), 2U);
  EXPECT_THAT(slurm_.array("2").files.shards, ElementsAre(0, 2));
}

TEST_F(SlurmTakeoverTest, FindsAnArrayByItsNameIfItsIdWasLost) {
  submit_and_die();
  slurm_.array("1").files.save();  // As it was before sbatch returned.
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};

  EXPECT_THAT(statuses_of(run_all()), Each(Status::kOk));
  EXPECT_EQ(slurm_.scripts.size(), 1U);
}

TEST_F(SlurmTakeoverTest, CancelsAnArrayOfOtherSettingsAndWaitsForItsEnd) {
  submit_and_die();
  slurm_.obeys_scancel = false;
  slurm_.set_state("1", 0, "RUNNING");
  SlurmOptions other = options();
  other.sweep = {{"seeds", 4}};
  complete_once_submitted("2");
  slurm_.steps.push_front([&] {
    EXPECT_EQ(slurm_.scripts.size(), 1U);
    slurm_.set_all("1", "CANCELLED");
  });

  EXPECT_THAT(statuses_of(run_all(other)), Each(Status::kOk));
  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1")));
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

TEST_F(SlurmTakeoverTest, RunsAgainWhatWasStoredAndIsWantedAgain) {
  SlurmOptions retrying = options();
  retrying.retry = {"failed"};
  submit_and_die(retrying);
  slurm_.set_state("1", 0, "COMPLETED");  // Its record was stored and its shard's file deleted.
  complete_once_submitted("2");
  slurm_.steps.push_front([&] {
    slurm_.complete("1", 1);
    slurm_.complete("1", 2);
  });

  EXPECT_THAT(statuses_of(run_all(retrying)), Each(Status::kOk));
  EXPECT_THAT(slurm_.array("2").files.shards, ElementsAre(0));
}

TEST_F(SlurmTakeoverTest, ASubmissionDeletesWhatTheShardsLeftBefore) {
  submit_and_die();
  slurm_.leave_record("1", 0, Status::kFailed);
  slurm_.array("1").files.close();
  slurm_.steps = {[&] { slurm_.set_state("2", 0, "RUNNING"); }, [&] { slurm_.complete_all("2"); }};

  EXPECT_THAT(statuses_of(run_all()), Each(Status::kOk));
}

TEST_F(SlurmTakeoverTest, AFreshSweepCancelsTheArrayAndDeletesItsRecords) {
  submit_and_die();
  slurm_.leave_record("1", 0, Status::kFailed);
  SlurmOptions fresh = options();
  fresh.takes_over = false;
  static_cast<void>(make_runner(fresh));

  EXPECT_FALSE(std::filesystem::exists(slurm_.shard_file("1", 0)));
  complete_once_submitted("2");
  EXPECT_THAT(statuses_of(run_all(fresh)), Each(Status::kOk));
  EXPECT_THAT(slurm_.array("2").files.shards, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace runahead::slurm
