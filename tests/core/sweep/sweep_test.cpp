#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/result_folder.h"
#include "core/base/scratch_folder.h"
#include "core/record/record_file.h"
#include "core/sweep/folder_lock.h"
#include "core/sweep/record_store.h"
#include "core/sweep/run_figures.h"
#include "core/sweep/shard.h"
#include "core/sweep/sweep.h"
#include "support/error_message.h"
#include "support/forbidden_file.h"
#include "support/recorded_runner.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;
using runahead::test::error_message;
using ::testing::HasSubstr;

/// Ends runs well and in the order of their start, and is watched.
class WatchedRunner final : public runahead::test::RecordedRunner {
 public:
  WatchedRunner()
      : RecordedRunner([](const Cell& cell, const CellJob& job) {
          return test::record_of(cell, job.repeat, Status::kOk);
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

class RecordStoreTest : public ::testing::Test {
 protected:
  RecordStore open(const std::optional<Shard>& shard = std::nullopt) {
    return RecordStore(folder_, sweep_, EarlierRecords::kResume, shard);
  }
  [[nodiscard]] record::Record record_of(std::size_t cell, Status status = Status::kOk) const {
    return test::record_of(plan_.cells[cell], 0, status);
  }
  [[nodiscard]] std::vector<record::Record> records() const {
    return record::read_records(folder_ / "records.jsonl");
  }

  ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "deep" / "sweep";
  const config::SweepConfig sweep_ = test::sweep_of_seeds(2, 1);
  const Plan plan_ = make_plan(sweep_, "test");
};

TEST_F(RecordStoreTest, LeavesNothingOfARecordThatCannotBeWritten) {
  RecordStore store = open();
  store.append(record_of(0));
  const auto bytes = std::filesystem::file_size(folder_ / "records.jsonl");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit too_little{bytes + 100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &too_little), 0);
  const std::string message = error_message<Error>([&] { store.append(record_of(1)); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);

  EXPECT_THAT(message, HasSubstr("run the same command again, without --fresh"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "records.jsonl"), bytes);
  store.append(record_of(1));
  EXPECT_EQ(records().size(), 2U);
}

TEST_F(RecordStoreTest, ReportsWhyAnAppendFailedWhereItsRestCannotBeCutOffEither) {
  RecordStore store = open();
  store.append(record_of(0));
  ::testing::internal::CaptureStderr();
  const std::string message = error_message<Error>([&] {
    const runahead::test::ForbiddenFile forbidden(folder_ / "records.jsonl");
    store.append(record_of(1));
  });

  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("cannot read /"));
  EXPECT_THAT(message, HasSubstr("cannot open /"));
  EXPECT_THAT(message, HasSubstr("run the same command again"));
  EXPECT_EQ(records().size(), 1U);
}

TEST_F(RecordStoreTest, WritesNothingWhereItsFolderWasMovedAway) {
  RecordStore store = open();
  const std::filesystem::path moved = folder_.string() + "-moved";
  std::filesystem::rename(folder_, moved);

  EXPECT_THAT([&] { store.append(record_of(0)); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("was moved or removed")));
  EXPECT_FALSE(std::filesystem::exists(folder_));
  std::filesystem::rename(moved, folder_);
  EXPECT_NO_THROW(store.append(record_of(0)));
}

TEST_F(RecordStoreTest, LeavesNothingInAFolderThatAnotherCommandHas) {
  std::filesystem::create_directories(folder_);
  const FolderClaim other(folder_);

  EXPECT_THROW(open(), ConfigError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(RecordStoreTest, TakesItsOwnSweepHoweverLongThatIsWrittenOut) {
  config::SweepConfig large = sweep_;
  large.cells.assign(40, Json{{"/seed", std::string(1 << 19, 'x')}});
  RecordStore(folder_, large).append(record_of(0));

  EXPECT_GT(std::filesystem::file_size(folder_ / "sweep.json"), JsonBounds{}.bytes);
  EXPECT_NO_THROW(RecordStore(folder_, large));
}

TEST(FolderLock, NamesWhoHasItAndIsNotKeptByAChildThatTheProcessForked) {
  const ScratchFolder folder;
  pid_t child = 0;
  {
    const FolderLock lock(folder.path());
    EXPECT_THAT(error_message<ConfigError>([&] { const FolderLock second(folder.path()); }),
                HasSubstr("another sweep is running in '" + folder.path().string() + "' (process " +
                          std::to_string(::getpid()) + " on "));
    child = ::fork();
    for (; child == 0;) ::pause();
  }
  EXPECT_NO_THROW(FolderLock(folder.path()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(Shard, EveryRunIsInOneShardAndShardsDifferByOneRunWhateverTheOrder) {
  config::SweepConfig sweep = test::sweep_of_seeds(5, 3);
  const Plan plan = make_plan(sweep, "test");
  sweep.order = config::RunOrder::kRandom;
  const Plan shuffled = make_plan(sweep, "test");
  for (const std::int64_t count : {1, 2, 4, 15, 20}) {
    std::vector<CellJob> runs;
    for (std::int64_t index = 0; index < count; ++index) {
      const Plan part = plan_of_shard(plan, {index, count});
      const auto size = static_cast<std::int64_t>(part.jobs.size());
      EXPECT_GE(size, 15 / count);
      EXPECT_LE(size, 15 / count + 1);
      EXPECT_EQ(part.run_count(), part.jobs.size());
      runs.insert(runs.end(), part.jobs.begin(), part.jobs.end());
    }
    std::sort(runs.begin(), runs.end());
    std::vector<CellJob> all = plan.jobs;
    std::sort(all.begin(), all.end());
    EXPECT_EQ(runs, all) << count;
    EXPECT_EQ(divide(shuffled, count), divide(plan, count));
  }
  EXPECT_NE(plan.jobs, shuffled.jobs);
}

TEST_F(RecordStoreTest, ALaterRecordOfTheWholeSweepCountsMoreThanAMergedOne) {
  open(Shard{0, 2}).append(record_of(0, Status::kInterrupted));
  {
    RecordStore whole = open();
    static_cast<void>(whole.read_earlier(plan_));
    whole.append(record_of(0));
  }

  EXPECT_EQ(open().read_earlier(plan_).runs[0][0]->status, Status::kOk);
  EXPECT_EQ(open(Shard{0, 2}).read_earlier(plan_).runs[0][0]->status, Status::kOk);
}

TEST_F(RecordStoreTest, AShardIsRefusedNextToTheWholeSweepUnlessThatWaitsForIt) {
  const RecordStore whole = open();
  EXPECT_THAT(error_message<ConfigError>([&] {
                static_cast<void>(open(Shard{0, 2}));
              }),
              HasSubstr("the whole sweep is running in '" + folder_.string() + "' (pro"));
  ::setenv(kAwaitedShard, "1", 1);
  EXPECT_NO_THROW(open(Shard{0, 2}));
  ::unsetenv(kAwaitedShard);
}

}  // namespace
}  // namespace runahead::sweep
