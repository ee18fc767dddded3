#include "core/sweep/record_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/error.h"
#include "core/record/record_file.h"
#include "core/sweep/earlier_runs.h"
#include "core/sweep/folder_lock.h"
#include "support/error_message.h"
#include "support/forbidden_file.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RecordStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<record::Record> records() const {
    return record::read_records(folder_ / "records.jsonl");
  }

  void store_one_record() {
    RecordStore(folder_, sweep_).append(test::record_of(plan_.cells[0], 0, Status::kOk));
  }

  /// The error for opening the store, with a record in it, for another sweep.
  std::string error_of(const config::SweepConfig& other,
                       EarlierRecords earlier = EarlierRecords::kResume) {
    store_one_record();
    return runahead::test::error_message<ConfigError>(
        [&] { RecordStore(folder_, other, earlier); });
  }

  runahead::test::TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "deep" / "sweep";
  const config::SweepConfig sweep_ = test::sweep_of_seeds(2, 1);
  const Plan plan_ = make_plan(sweep_, "test");
};

TEST_F(RecordStoreTest, LeavesNothingOfARecordThatCannotBeWritten) {
  RecordStore store(folder_, sweep_);
  store.append(test::record_of(plan_.cells[0], 0, Status::kOk));
  const auto bytes = std::filesystem::file_size(folder_ / "records.jsonl");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit too_little{bytes + 100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &too_little), 0);
  const std::string message = runahead::test::error_message<Error>(
      [&] { store.append(test::record_of(plan_.cells[1], 0, Status::kOk)); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);

  EXPECT_THAT(message, HasSubstr("run the same command again, without --fresh"));
  EXPECT_EQ(std::filesystem::file_size(folder_ / "records.jsonl"), bytes);
  store.append(test::record_of(plan_.cells[1], 0, Status::kOk));
  EXPECT_EQ(records().size(), 2U);
}

TEST_F(RecordStoreTest, ReportsWhyAnAppendFailedWhereItsRestCannotBeCutOffEither) {
  RecordStore store(folder_, sweep_);
  store.append(test::record_of(plan_.cells[0], 0, Status::kOk));
  ::testing::internal::CaptureStderr();
  const std::string message = runahead::test::error_message<Error>([&] {
    const runahead::test::ForbiddenFile forbidden(folder_ / "records.jsonl");
    store.append(test::record_of(plan_.cells[1], 0, Status::kOk));
  });

  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("cannot read /"));
  EXPECT_THAT(message, HasSubstr("cannot open /"));
  EXPECT_THAT(message, HasSubstr("run the same command again"));
  EXPECT_EQ(records().size(), 1U);
}

TEST_F(RecordStoreTest, RefusesTheRecordsOfAnotherSweepAndNamesADifference) {
  config::SweepConfig base = sweep_;
  base.base["batches"] = 4;
  config::SweepConfig excluding = sweep_;
  excluding.exclude = {Json{{"/seed", 1}}};
  const std::string here = "another sweep: ";

  EXPECT_THAT(error_of(base),
              AllOf(HasSubstr(here + "/base/batches is "),
                    HasSubstr(" in its sweep.json and 4 in this config; choose another --out")));
  EXPECT_THAT(error_of(base, EarlierRecords::kExtend),
              HasSubstr(" in its sweep.json and 4 in this config, and --extend allows"));
  EXPECT_THAT(error_of(test::sweep_of_seeds(2, 5)), HasSubstr(here + "/repeats is "));
  EXPECT_THAT(error_of(excluding),
              HasSubstr(here + "value number 1 of /exclude is missing in its sweep.json and "));
  EXPECT_EQ(read_json_file(folder_ / "sweep.json"), config::to_json(sweep_));
}

TEST_F(RecordStoreTest, TakesAnotherOrderOtherLimitsAndOtherJobs) {
  store_one_record();
  config::SweepConfig other = sweep_;
  other.order = config::RunOrder::kRandom;
  other.order_seed = 3;
  other.timeout_seconds = 7.0;
  other.memory_limit_bytes = 1 << 30;
  other.jobs = 2;
  const RecordStore store(folder_, other);

  EXPECT_EQ(read_json_file(folder_ / "sweep.json"), config::to_json(other));
}

TEST_F(RecordStoreTest, TakesTheFolderOfAVersionThatHadFewerKeys) {
  store_one_record();
  Json document = config::to_json(sweep_);
  for (const char* key : {"zip", "cells", "exclude", "order", "order_seed"}) document.erase(key);
  std::ofstream(folder_ / "sweep.json") << document;

  EXPECT_NO_THROW(RecordStore(folder_, sweep_));
}

TEST_F(RecordStoreTest, TakesItsOwnSweepHoweverLongThatIsWrittenOut) {
  config::SweepConfig large = sweep_;
  large.cells.assign(40, Json{{"/seed", std::string(1 << 19, 'x')}});
  RecordStore(folder_, large).append(test::record_of(plan_.cells[0], 0, Status::kOk));

  EXPECT_GT(std::filesystem::file_size(folder_ / "sweep.json"), JsonBounds{}.bytes);
  EXPECT_NO_THROW(RecordStore(folder_, large));
}

TEST(FolderLock, NamesWhoHasItAndIsNotKeptByAChildThatTheProcessForked) {
  const runahead::test::TemporaryFolder folder;
  pid_t child = 0;
  {
    const FolderLock lock(folder.path());
    EXPECT_THAT(
        runahead::test::error_message<ConfigError>([&] { const FolderLock second(folder.path()); }),
        ::testing::HasSubstr("another sweep is running in '" + folder.path().string() +
                             "' (process " + std::to_string(::getpid()) + " on "));
    child = ::fork();
    for (; child == 0;) ::pause();
  }
  EXPECT_NO_THROW(FolderLock(folder.path()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// A folder that was begun before ids left out defaults: the default config had this id then, and
// its record lacks the keys that came later.
TEST(EarlierRuns, CountUnderTheIdThatTheirVersionGaveTheirConfig) {
  const runahead::test::TemporaryFolder folder;
  const Plan plan =
      make_plan(config::read_sweep(
                    parse_json(R"({"base": {"experiment": "train"}, "axes": {"/seed": [0, 1]}})",
                               "sweep.json"),
                    "sweep.json", folder.path()),
                "sweep.json");
  record::Record record = record::make_record(plan.cells.front().config, 0, Json::object());
  record.environment = record::collect_environment();
  record.id = "c7cbaa2216fed4f4e23b4aa0d04ff7ffc03d1114a53f7e17d200f33718f5ad92";
  record.config.erase("log_every");
  record.config["cuda"].erase("copies");
  runahead::test::write_text(folder.path() / "records.jsonl",
                             dump_json(record::to_json(record)) + "\n");

  const EarlierRuns earlier = read_earlier_runs(plan, folder.path() / "records.jsonl");

  EXPECT_TRUE(earlier.runs[0][0].has_value());
  EXPECT_FALSE(earlier.runs[1][0].has_value());
}

}  // namespace
}  // namespace runahead::sweep
