#include "core/sweep/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/sweep/record_store.h"
#include "support/error_message.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;

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

class ShardStore : public ::testing::Test {
 protected:
  RecordStore open(const std::optional<Shard>& shard) {
    return RecordStore(folder_.path(), sweep_, EarlierRecords::kResume, shard);
  }

  record::Record record_of(std::size_t cell, Status status) const {
    return test::record_of(plan_.cells[cell], 0, status);
  }

  const ScratchFolder folder_;
  const config::SweepConfig sweep_ = test::sweep_of_seeds(3, 1);
  const Plan plan_ = make_plan(sweep_, "test");
};

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

TEST_F(ShardStore, IsRefusedNextToTheWholeSweepUnlessThatWaitsForIt) {
  const RecordStore whole = open(std::nullopt);
  EXPECT_THAT(
      runahead::test::error_message<ConfigError>([&] {
        static_cast<void>(open(Shard{0, 2}));
      }),
      ::testing::HasSubstr("the whole sweep is running in '" + folder_.path().string() + "' (pro"));
  ::setenv(kAwaitedShard, "1", 1);
  EXPECT_NO_THROW(open(Shard{0, 2}));
  ::unsetenv(kAwaitedShard);
}

}  // namespace
}  // namespace runahead::sweep
