#include "core/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/record/record_file.h"
#include "fake_runner.h"
#include "support/temporary_folder.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;
using test::FakeRunner;

class SweepTest : public ::testing::Test {
 protected:
  static Status all_ok(const CellJob&) { return Status::kOk; }

  SweepResult run(FakeRunner& runner, int jobs = 1) { return run(sweep_, runner, jobs); }

  SweepResult run(const config::SweepConfig& sweep, FakeRunner& runner, int jobs = 1) {
    RecordStore store(folder_, sweep, EarlierRecords::kExtend);
    return run_sweep(make_plan(sweep, "test"), store, runner, {.jobs = jobs, .retry = retry_});
  }

  [[nodiscard]] std::vector<record::Record> records() const {
    return record::read_records(folder_ / "records.jsonl");
  }

  std::set<Status> retry_{};
  runahead::test::TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "sweep";
  const config::SweepConfig sweep_ = test::sweep_of_seeds(3, 2);
  const Plan plan_ = make_plan(sweep_, "test");
};

TEST_F(SweepTest, FinishesItsRunnerWhereNothingIsLeftToRun) {
  FakeRunner first(all_ok);
  run(first);
  FakeRunner second(all_ok);
  run(second);

  EXPECT_EQ(first.finishes, 1);
  EXPECT_TRUE(second.started.empty());
  EXPECT_EQ(second.finishes, 1);
}

TEST_F(SweepTest, RunsEveryJobOnce) {
  FakeRunner runner(all_ok);
  const SweepResult result = run(runner);

  EXPECT_EQ(runner.started.size(), 6U);
  EXPECT_TRUE(result.all_ok());
  EXPECT_FALSE(result.interrupted);
  EXPECT_THAT(result.runs[2][1].value().values, ::testing::Contains(2.0));
  EXPECT_EQ(result.cost.runs, 6U);
  EXPECT_EQ(result.cost.cells_wall_seconds, 6 * 2.5);
}

TEST_F(SweepTest, RunsSeveralAtOnce) {
  FakeRunner runner(all_ok);
  run(runner, 4);

  EXPECT_EQ(runner.most_running, 4U);
  EXPECT_EQ(runner.started.size(), 6U);
}

TEST_F(SweepTest, RunsAgainWhatWasInterrupted) {
  FakeRunner first([](const CellJob& job) {
    return job.cell == 1 && job.repeat == 0 ? Status::kInterrupted : Status::kOk;
  });
  run(first);
  FakeRunner second(all_ok);
  const SweepResult result = run(second);

  ASSERT_EQ(second.started.size(), 1U);
  EXPECT_EQ(second.started[0].cell, 1U);
  EXPECT_EQ(second.started[0].repeat, 0);
  EXPECT_TRUE(result.all_ok());
}

TEST_F(SweepTest, RunsOnlyTheCellsAndRepeatsThatWereAdded) {
  FakeRunner first(all_ok);
  run(first);
  FakeRunner second(all_ok);
  const SweepResult result = run(test::sweep_of_seeds(4, 3), second);

  // Of 4 seeds and 3 repeats, 3 seeds and 2 repeats were there.
  EXPECT_EQ(second.started.size(), 4U * 3U - 3U * 2U);
  EXPECT_EQ(second.started[0].cell, 3U);
  EXPECT_TRUE(result.all_ok());
}

TEST_F(SweepTest, RunsAnewWhatAnotherVersionRecorded) {
  {
    RecordStore store(folder_, sweep_);
    record::Record record = test::record_of(plan_.cells[0], 0, Status::kOk);
    record.environment.runahead = "0.0.1";
    store.append(record);
    record = test::record_of(plan_.cells[0], 1, Status::kOk);
    record.environment.git = "another revision";
    store.append(record);
    store.append(test::record_of(plan_.cells[1], 0, Status::kOk));
  }
  FakeRunner runner(all_ok);
  ::testing::internal::CaptureStderr();
  run(runner);
  const std::string log = ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(runner.started.size(), 5U);
  EXPECT_THAT(log, ::testing::HasSubstr("made 2 of the runs"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1);

  FakeRunner none(all_ok);
  ::testing::internal::CaptureStderr();
  run(none);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "they have been made again";
  EXPECT_TRUE(none.started.empty());
}

TEST_F(SweepTest, RecordsOnceThatACellCannotRunAndWhy) {
  const config::SweepConfig sweep = config::read_sweep(
      {{"base", {{"experiment", "train"}}}, {"axes", {{"/batches", {3, 0}}}}, {"repeats", 2}},
      "test", ".");
  FakeRunner runner(all_ok);
  const SweepResult result = run(sweep, runner);

  EXPECT_EQ(runner.started.size(), 2U);
  EXPECT_FALSE(result.all_ok());
  EXPECT_EQ(result.runs[1][1].value().status, Status::kSkipped);

  FakeRunner none(all_ok);
  run(sweep, none);
  EXPECT_TRUE(none.started.empty());
  ASSERT_EQ(records().size(), 4U);
  EXPECT_EQ(records()[0].status, Status::kSkipped);
  EXPECT_EQ(records()[0].id, make_plan(sweep, "test").cells.id(1));
  EXPECT_THAT(records()[0].error.value(), ::testing::StartsWith("/batches: found 0"));
  EXPECT_EQ(records()[0].experiment, "train");
  EXPECT_EQ(records()[0].config["batches"], 0);
  EXPECT_EQ(records()[1].repeat, 1);
}

TEST_F(SweepTest, RecordsNoFurtherSkippedRunsAfterAnInterrupt) {
  const config::SweepConfig sweep = config::read_sweep(
      {{"base", {{"experiment", "train"}}}, {"axes", {{"/batches", {3, 0}}}}, {"repeats", 5}},
      "test", ".");
  FakeRunner runner(all_ok);
  RecordStore store(folder_, sweep);
  const SweepResult result =
      run_sweep(make_plan(sweep, "test"), store, runner,
                {.on_end = [&runner](const CellResult&, const SweepProgress& progress) {
                  if (progress.done == 2) runner.interrupt();
                }});

  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(runner.started.empty());
  EXPECT_EQ(records().size(), 2U);
}

TEST_F(SweepTest, StartsNothingAfterAnInterruptAndKeepsWhatRan) {
  FakeRunner runner(all_ok);
  runner.interrupt_after = 2;
  const SweepResult result = run(runner, 2);

  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(runner.started.size(), 2U);
  EXPECT_TRUE(result.runs[1][0].has_value());
  EXPECT_FALSE(result.all_ok());

  FakeRunner rest(all_ok);
  run(rest);
  EXPECT_EQ(rest.started.size(), 4U);
}

TEST_F(SweepTest, StoresNothingOfARunThatHadNotBegunAtAnInterrupt) {
  FakeRunner runner(all_ok);
  runner.interrupt_after = 6;
  runner.begins = [](const CellJob& job) { return job.cell == 0; };
  const SweepResult result = run(runner, 6);

  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.runs[0][1].has_value());
  EXPECT_FALSE(result.runs[1][0].has_value());
  EXPECT_FALSE(result.all_ok());

  FakeRunner rest(all_ok);
  run(rest);
  EXPECT_EQ(rest.started.size(), 4U);
}

TEST_F(SweepTest, ReportsEachEndWithItsCount) {
  FakeRunner runner(all_ok);
  RecordStore store(folder_, sweep_);
  std::vector<std::size_t> done;
  run_sweep(plan_, store, runner, {.on_end = [&](const CellResult&, const SweepProgress& progress) {
              done.push_back(progress.done);
              EXPECT_EQ(progress.total, 6U);
              EXPECT_EQ(records().size(), progress.done);
            }});

  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace runahead::sweep
