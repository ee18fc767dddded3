#include "core/sweep/record_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/record/record_file.h"
#include "core/sweep/folder_lock.h"
#include "core/sweep/run_figures.h"
#include "support/error_message.h"
#include "support/forbidden_file.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;
using ::testing::HasSubstr;

class RecordStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<record::Record> records() const {
    return record::read_records(folder_ / "records.jsonl");
  }

  ScratchFolder scratch_;
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

TEST_F(RecordStoreTest, TakesItsOwnSweepHoweverLongThatIsWrittenOut) {
  config::SweepConfig large = sweep_;
  large.cells.assign(40, Json{{"/seed", std::string(1 << 19, 'x')}});
  RecordStore(folder_, large).append(test::record_of(plan_.cells[0], 0, Status::kOk));

  EXPECT_GT(std::filesystem::file_size(folder_ / "sweep.json"), JsonBounds{}.bytes);
  EXPECT_NO_THROW(RecordStore(folder_, large));
}

TEST(FolderLock, NamesWhoHasItAndIsNotKeptByAChildThatTheProcessForked) {
  const ScratchFolder folder;
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

}  // namespace
}  // namespace runahead::sweep
