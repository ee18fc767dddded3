#include "core/sweep/sweep.h"

#include <gtest/gtest.h>

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

  SweepResult run(FakeRunner& runner, int jobs = 1) {
    RecordStore store(folder_, sweep_);
    return run_sweep(plan_, store, runner, {.jobs = jobs});
  }

  runahead::test::TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "sweep";
  const config::SweepConfig sweep_ = test::sweep_of_seeds(3, 2);
  const Plan plan_ = make_plan(sweep_, "test");
};

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
  EXPECT_EQ(record::read_records(folder_ / "records.jsonl").size(), 2U);
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
  FakeRunner none(all_ok);
  run(none);
  EXPECT_EQ(none.finishes, 1) << "though nothing was left to run";
}

TEST_F(SweepTest, ReportsWhatItIsDoingWhileItWaits) {
  FakeRunner runner(all_ok);
  RecordStore store(folder_, sweep_);
  std::vector<SweepState> states;
  run_sweep(plan_, store, runner,
            {.on_look = [&](const SweepState& state) { states.push_back(state); },
             .look_seconds = 1000.0});

  ASSERT_EQ(states.size(), 6U);
  EXPECT_EQ(states.front().seconds_left, std::nullopt);
  EXPECT_EQ(states.back().progress.done, 5U);
  EXPECT_EQ(states.back().seconds_left, 1.5);  // A run takes 2.5 s, this one has had one.
}

}  // namespace
}  // namespace runahead::sweep
