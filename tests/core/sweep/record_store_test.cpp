#include "core/sweep/record_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;

class RecordStoreTest : public ::testing::Test {
 protected:
  runahead::test::TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "deep" / "sweep";
  const config::SweepConfig sweep_ = test::sweep_of_seeds(2, 1);
  const Plan plan_ = make_plan(sweep_, "test");
};

TEST_F(RecordStoreTest, WritesTheResolvedSweep) {
  const RecordStore store(folder_, sweep_);

  const Json written = read_json_file(folder_ / "sweep.json");
  EXPECT_EQ(written, config::to_json(sweep_));
  EXPECT_TRUE(std::filesystem::is_directory(store.cells_folder()));
  EXPECT_TRUE(store.read().empty());
}

TEST_F(RecordStoreTest, FindsItsRecordsAgain) {
  {
    RecordStore store(folder_, sweep_);
    store.append(test::record_of(plan_.cells[0], 0, Status::kOk));
    store.append(test::record_of(plan_.cells[1], 0, Status::kCrashed));
  }
  const RecordStore store(folder_, sweep_);

  const auto records = store.read();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].id, plan_.cells[0].id);
  EXPECT_EQ(records[1].status, Status::kCrashed);
}

TEST_F(RecordStoreTest, SurvivesATornLastLine) {
  {
    RecordStore store(folder_, sweep_);
    store.append(test::record_of(plan_.cells[0], 0, Status::kOk));
  }
  std::ofstream(folder_ / "records.jsonl", std::ios::app) << R"({"schema_version": 1, "id": "ab)";
  {
    RecordStore store(folder_, sweep_);
    store.append(test::record_of(plan_.cells[1], 0, Status::kOk));
  }
  const RecordStore store(folder_, sweep_);

  const auto records = store.read();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].id, plan_.cells[1].id);
}

TEST_F(RecordStoreTest, RefusesTheRecordsOfASweepWithAnotherBase) {
  {
    RecordStore store(folder_, sweep_);
    store.append(test::record_of(plan_.cells[0], 0, Status::kOk));
  }
  config::SweepConfig other = sweep_;
  other.base["batches"] = 4;
  const std::string message =
      runahead::test::error_message<ConfigError>([&] { RecordStore(folder_, other); });

  EXPECT_THAT(message, ::testing::HasSubstr("/batches"));
  EXPECT_EQ(read_json_file(folder_ / "sweep.json"), config::to_json(sweep_));
}

TEST_F(RecordStoreTest, TakesOtherAxesAndRepeatsOfTheSameBase) {
  {
    RecordStore store(folder_, sweep_);
    store.append(test::record_of(plan_.cells[0], 0, Status::kOk));
  }
  const config::SweepConfig larger = test::sweep_of_seeds(3, 5);
  const RecordStore store(folder_, larger);

  EXPECT_EQ(store.read().size(), 1U);
  EXPECT_EQ(read_json_file(folder_ / "sweep.json"), config::to_json(larger));
}

TEST_F(RecordStoreTest, RefusesASecondSweepInItsFolder) {
  const RecordStore first(folder_, sweep_);

  EXPECT_THROW(RecordStore(folder_, sweep_), ConfigError);
}

TEST_F(RecordStoreTest, TellsAFolderThatCannotBeMade) {
  std::ofstream(scratch_.path() / "deep") << "a file";

  EXPECT_THROW(RecordStore(folder_, sweep_), Error);
}

}  // namespace
}  // namespace runahead::sweep
