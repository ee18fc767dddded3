#include "core/sweep/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/record/record_file.h"
#include "core/sweep/record_store.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Shard, ReadsPartAndCountAndNamesWhatIsAllowed) {
  EXPECT_EQ(parse_shard("0/1").count, 1);
  EXPECT_EQ(parse_shard("7/8").index, 7);
  for (const char* text : {"", "1", "8/8", "-1/8", "1/0", "1/8/2", "a/8", "1/ 8", "0/100001"}) {
    try {
      static_cast<void>(parse_shard(text));
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("allowed: I/N with N from 1 to 100000"));
    }
  }
}

TEST(Shard, EveryRunIsInOneShardAndShardsDifferByOneRun) {
  const Plan plan = test::plan_of_seeds(5, 3);
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
  }
}

TEST(Shard, RepeatsStayInterleavedAndCellsChangeShards) {
  const Plan plan = test::plan_of_seeds(4, 2);

  EXPECT_THAT(plan_of_shard(plan, {0, 2}).jobs,
              ElementsAre(CellJob{0, 0}, CellJob{3, 0}, CellJob{0, 1}, CellJob{3, 1}));
  EXPECT_THAT(plan_of_shard(plan, {0, 4}).jobs, ElementsAre(CellJob{0, 0}, CellJob{3, 1}));
}

TEST(Shard, TheFirstShardHasTheCellsThatCannotRun) {
  Plan plan = test::plan_of_seeds(4, 1);
  plan.skipped = {3};
  plan.jobs.pop_back();

  EXPECT_EQ(plan_of_shard(plan, {0, 2}).skipped.size(), 1U);
  EXPECT_TRUE(plan_of_shard(plan, {1, 2}).skipped.empty());
}

TEST(Shard, TheOrderOfRunsDoesNotChangeTheDivision) {
  config::SweepConfig sweep = test::sweep_of_seeds(9, 2);
  const Plan plan = make_plan(sweep, "test");
  sweep.order = config::RunOrder::kRandom;
  const Plan shuffled = make_plan(sweep, "test");

  EXPECT_NE(plan.jobs, shuffled.jobs);
  EXPECT_EQ(divide(plan, 4), divide(shuffled, 4));
}

class ShardStore : public ::testing::Test {
 protected:
  RecordStore open(const std::optional<Shard>& shard) {
    return RecordStore(folder_, sweep_, EarlierRecords::kResume, shard);
  }

  record::Record record_of(std::size_t cell, Status status) const {
    return test::record_of(plan_.cells[cell], 0, status);
  }

  [[nodiscard]] std::vector<Status> merged() const {
    std::vector<Status> statuses;
    for (const record::Record& record : record::read_records(folder_ / "records.jsonl")) {
      statuses.push_back(record.status);
    }
    return statuses;
  }

  runahead::test::TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "sweep";
  const config::SweepConfig sweep_ = test::sweep_of_seeds(3, 1);
  const Plan plan_ = make_plan(sweep_, "test");
};

TEST_F(ShardStore, ShardsWriteSideBySideAndMergeOnce) {
  RecordStore first = open(Shard{0, 2});
  RecordStore second = open(Shard{1, 2});
  first.append(record_of(0, Status::kOk));
  second.append(record_of(1, Status::kFailed));
  RecordStore whole = open(std::nullopt);
  static_cast<void>(whole.read_earlier(plan_));
  first.append(record_of(2, Status::kTimedOut));
  EarlierRuns earlier = whole.read_earlier(plan_);

  EXPECT_EQ(earlier.runs[2][0]->status, Status::kTimedOut);
  EXPECT_THAT(merged(), ElementsAre(Status::kOk, Status::kFailed, Status::kTimedOut));
  earlier = whole.read_earlier(plan_);
  EXPECT_EQ(merged().size(), 3U);
}

TEST_F(ShardStore, ALaterRecordOfTheWholeSweepCountsMoreThanAMergedOne) {
  open(Shard{0, 2}).append(record_of(0, Status::kInterrupted));
  {
    RecordStore whole = open(std::nullopt);
    static_cast<void>(whole.read_earlier(plan_));
    whole.append(record_of(0, Status::kOk));
  }

  EXPECT_EQ(open(std::nullopt).read_earlier(plan_).runs[0][0]->status, Status::kOk);
  EXPECT_EQ(open(Shard{0, 2}).read_earlier(plan_).runs[0][0]->status, Status::kOk);
}

TEST_F(ShardStore, AShardResumesItsOwnFileAndCutsATornLine) {
  {
    RecordStore shard = open(Shard{0, 2});
    shard.append(record_of(0, Status::kOk));
    const std::string good = runahead::test::read_text(shard.records_path());
    runahead::test::write_text(shard.records_path(), good + good.substr(0, 40));
  }
  ::testing::internal::CaptureStderr();
  RecordStore shard = open(Shard{0, 2});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("torn"));
  shard.append(record_of(2, Status::kOk));

  EXPECT_EQ(record::read_records(shard.records_path()).size(), 2U);
  EXPECT_TRUE(shard.read_earlier(plan_).runs[0][0].has_value());
}

TEST_F(ShardStore, AShardThatIsRunningIsRejected) {
  {
    const RecordStore running = open(Shard{0, 2});
    EXPECT_THROW(open(Shard{0, 2}), ConfigError);
    EXPECT_THROW(require_no_running_shard(folder_), ConfigError);
  }
  EXPECT_NO_THROW(open(Shard{0, 2}));
  EXPECT_NO_THROW(require_no_running_shard(folder_));
}

TEST_F(ShardStore, AShardOfAnotherSweepIsRejected) {
  open(Shard{0, 2}).append(record_of(0, Status::kOk));
  const config::SweepConfig other = test::sweep_of_seeds(4, 1);

  EXPECT_THROW(RecordStore(folder_, other, EarlierRecords::kResume, Shard{1, 2}), ConfigError);
  EXPECT_THROW(RecordStore(folder_, other), ConfigError);
}

TEST_F(ShardStore, AFreshSweepSetsTheShardsAside) {
  open(Shard{0, 2}).append(record_of(0, Status::kOk));
  const RecordStore fresh(folder_, sweep_, EarlierRecords::kSetAside);

  EXPECT_FALSE(fresh.read_earlier(plan_).runs[0][0].has_value());
  EXPECT_EQ(record::shard_files(folder_ / "earlier-1").size(), 1U);
}

}  // namespace
}  // namespace runahead::sweep
