// What a sweep reports to a watcher.

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "core/sweep/sweep.h"
#include "fake_runner.h"
#include "support/temporary_folder.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;
using test::FakeRunner;

/// Of which nothing has ended when it is waited for with a limit, every other time.
class WatchedRunner final : public CellRunner {
 public:
  explicit WatchedRunner(FakeRunner& runner) : runner_(runner) {}

  void start(const Cell& cell, const CellJob& job) override {
    job_ = job;
    runner_.start(cell, job);
  }
  CellResult wait_any() override { return runner_.wait_any(); }
  std::optional<CellResult> wait_any_for(double seconds) override {
    EXPECT_GT(seconds, 0.0);
    waits_ = !waits_;
    return waits_ ? std::nullopt : std::optional(runner_.wait_any());
  }
  RunnerActivity activity(std::size_t detailed) override {
    EXPECT_EQ(detailed, 2U);
    return {.running = {{.job = job_, .seconds = 1.0}}};
  }
  bool interrupted() override { return runner_.interrupted(); }

 private:
  FakeRunner& runner_;
  CellJob job_{};
  bool waits_ = false;
};

class SweepWatch : public ::testing::Test {
 protected:
  static Status all_ok(const CellJob&) { return Status::kOk; }

  runahead::test::TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "sweep";
  const config::SweepConfig sweep_ = test::sweep_of_seeds(3, 2);
  const Plan plan_ = make_plan(sweep_, "test");
};

TEST_F(SweepWatch, ReportsWhatItIsDoingWhileItWaits) {
  FakeRunner ending([](const CellJob& job) {
    return job.cell == 1 && job.repeat == 0 ? Status::kFailed : Status::kOk;
  });
  WatchedRunner runner(ending);
  RecordStore store(folder_, sweep_);
  std::vector<SweepState> states;
  run_sweep(plan_, store, runner,
            {.on_look = [&](const SweepState& state) { states.push_back(state); },
             .look_seconds = 1000.0,
             .detailed_cells = 2});

  ASSERT_EQ(states.size(), 6U);
  EXPECT_EQ(states.front().progress.done, 0U);
  EXPECT_EQ(states.front().progress.total, 6U);
  EXPECT_EQ(states.front().seconds_left, std::nullopt);
  EXPECT_EQ(states.back().progress.done, 5U);
  EXPECT_EQ(states.back().progress.not_ok, 1U);
  EXPECT_EQ(states.back().activity.running.front().job.cell, plan_.jobs.back().cell);
  EXPECT_EQ(states.back().seconds_left, 1.5);  // A run takes 2.5 s, this one has had one.
}

TEST_F(SweepWatch, CountsWhatEarlierSweepsLeftAsDone) {
  FakeRunner failing([](const CellJob&) { return Status::kFailed; });
  failing.interrupt_after = 2;
  {
    RecordStore store(folder_, sweep_);
    run_sweep(plan_, store, failing, {.jobs = 2});
  }
  FakeRunner rest(all_ok);
  RecordStore store(folder_, sweep_);
  std::vector<SweepProgress> all;
  run_sweep(plan_, store, rest, {.on_end = [&](const CellResult&, const SweepProgress& progress) {
              all.push_back(progress);
            }});

  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all.front().done, 3U);
  EXPECT_EQ(all.front().not_ok, 2U);
}

}  // namespace
}  // namespace runahead::sweep
