#include "core/sweep/sweep.h"

#include <gtest/gtest.h>

#include "core/base/scratch_folder.h"
#include "core/record/record_file.h"
#include "support/recorded_runner.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

/// Ends runs well and in the order of their start, and is watched.
class WatchedRunner final : public runahead::test::RecordedRunner {
 public:
  WatchedRunner()
      : RecordedRunner([](const Cell& cell, const CellJob& job) {
          return test::record_of(cell, job.repeat, record::Status::kOk);
        }) {}

  void start(const Cell& cell, const CellJob& job) override {
    next = job;
    RecordedRunner::start(cell, job);
  }
  CellResult wait_any() override {
    CellResult result = RecordedRunner::wait_any();
    result.began = result.job.cell <= last_cell_that_begins;
    return result;
  }
  /// Nothing has ended every other time that it is waited for with a limit.
  std::optional<CellResult> wait_any_for(double) override {
    waits = !waits;
    return waits ? std::nullopt : std::optional(wait_any());
  }
  RunnerActivity activity(std::size_t) override {
    return {.running = {{.job = next, .seconds = 1.0}}};
  }
  void finish() override { ++finishes; }

  CellJob next{};
  std::size_t last_cell_that_begins = 1000;
  bool waits = false;
  int finishes = 0;
};

class SweepTest : public ::testing::Test {
 protected:
  SweepResult run(WatchedRunner& runner, int jobs = 1) {
    RecordStore store(folder_, sweep_);
    return run_sweep(plan_, store, runner, {.jobs = jobs});
  }

  ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "sweep";
  const config::SweepConfig sweep_ = test::sweep_of_seeds(3, 2);
  const Plan plan_ = make_plan(sweep_, "test");
};

TEST_F(SweepTest, RecordsNoFurtherSkippedRunsAfterAnInterrupt) {
  const config::SweepConfig sweep = config::read_sweep(
      {{"base", {{"experiment", "train"}}}, {"axes", {{"/batches", {3, 0}}}}, {"repeats", 5}},
      "test", ".");
  WatchedRunner runner;
  RecordStore store(folder_, sweep);
  const SweepResult result =
      run_sweep(make_plan(sweep, "test"), store, runner,
                {.on_end = [&runner](const CellResult&, const SweepProgress& progress) {
                  if (progress.done == 2) runner.interrupt_after = 0;
                }});

  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(runner.cells.empty());
  EXPECT_EQ(record::read_records(folder_ / "records.jsonl").size(), 2U);
}

TEST_F(SweepTest, StoresNothingOfARunThatHadNotBegunAtAnInterrupt) {
  WatchedRunner runner;
  runner.interrupt_after = 6;
  runner.last_cell_that_begins = 0;
  const SweepResult result = run(runner, 6);

  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.runs[0][1].has_value());
  EXPECT_FALSE(result.runs[1][0].has_value());
  EXPECT_FALSE(result.all_ok());

  WatchedRunner rest;
  run(rest);
  EXPECT_EQ(rest.cells.size(), 4U);
  WatchedRunner none;
  run(none);
  EXPECT_EQ(none.finishes, 1) << "though nothing was left to run";
}

TEST_F(SweepTest, ReportsWhatItIsDoingWhileItWaits) {
  WatchedRunner runner;
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
