#include "core/sweep/cell_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "core/record/record_file.h"
#include "support/temporary_folder.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;
using ::testing::HasSubstr;

class CellOutcomeTest : public ::testing::Test {
 protected:
  void write(Status status) {
    record::Record record = test::record_of(cell_, 2, status);
    if (status == Status::kFailed) record.error = "operator 'mm' failed";
    record::write_record(folder_.path() / "record.json", record);
  }

  record::Record outcome(const ChildEnd& end) {
    return outcome_of(cell_, 2, folder_.path(), end,
                      {.wall_seconds = 1.5, .rss_bytes = 1'000'000'000});
  }

  const Cell cell_ = test::plan_of_seeds(1, 1).cells.front();
  runahead::test::TemporaryFolder folder_;
};

TEST_F(CellOutcomeTest, KeepsTheRecordOfARunThatEndedWell) {
  write(Status::kOk);
  const record::Record record = outcome({});

  EXPECT_EQ(record.status, Status::kOk);
  EXPECT_EQ(record.error, std::nullopt);
  EXPECT_EQ(record.id, cell_.id);
  EXPECT_EQ(record.repeat, 2);
  EXPECT_EQ(record.axes, cell_.axes);
  EXPECT_EQ(record.time.total_seconds, 2.0);
}

TEST_F(CellOutcomeTest, KeepsTheStatusThatAFailedRunWrote) {
  write(Status::kFailed);
  const record::Record record = outcome({.exit_code = 1});

  EXPECT_EQ(record.status, Status::kFailed);
  EXPECT_EQ(record.error, "operator 'mm' failed");
}

TEST_F(CellOutcomeTest, DoesNotBelieveAnOkWithAnExitCode) {
  write(Status::kOk);

  EXPECT_EQ(outcome({.exit_code = 1}).status, Status::kFailed);
}

TEST_F(CellOutcomeTest, TakesTheLastWordsOfARunThatFailedWithoutARecord) {
  const record::Record record =
      outcome({.exit_code = 1, .last_error_line = "runahead: error: no such file"});

  EXPECT_EQ(record.status, Status::kFailed);
  EXPECT_EQ(record.error, "no such file");
  EXPECT_EQ(record.id, cell_.id);
  EXPECT_EQ(record.axes, cell_.axes);
  EXPECT_EQ(record.time.total_seconds, std::nullopt);
}

TEST_F(CellOutcomeTest, SkipsWhatThisMachineDoesNotHave) {
  const record::Record record = outcome({.exit_code = 3, .last_error_line = "no CUDA device"});

  EXPECT_EQ(record.status, Status::kSkipped);
  EXPECT_EQ(record.error, "no CUDA device");
}

TEST_F(CellOutcomeTest, TellsAnInterruptByItsExitCode) {
  EXPECT_EQ(outcome({.exit_code = 130}).status, Status::kInterrupted);
}

TEST_F(CellOutcomeTest, CallsAnEndWithoutARecordACrash) {
  const record::Record record = outcome({.exit_code = 0});

  EXPECT_EQ(record.status, Status::kCrashed);
  EXPECT_THAT(record.error.value(), HasSubstr("exit code 0"));
}

TEST_F(CellOutcomeTest, CallsHalfARecordACrash) {
  std::ofstream(folder_.path() / "record.json") << R"({"schema_version": 1, "id": )";

  EXPECT_EQ(outcome({.exit_code = 0}).status, Status::kCrashed);
}

TEST_F(CellOutcomeTest, NamesTheSignalOfACrash) {
  write(Status::kOk);
  const record::Record record = outcome({.signal = SIGSEGV, .last_error_line = "last words"});

  EXPECT_EQ(record.status, Status::kCrashed);
  EXPECT_THAT(record.error.value(), HasSubstr("SIGSEGV"));
  EXPECT_THAT(record.error.value(), HasSubstr("last words"));
}

TEST_F(CellOutcomeTest, KeepsWhatWasMeasuredBeforeTheTimeLimit) {
  write(Status::kInterrupted);
  const record::Record record = outcome({.stopped = StopReason::kTimedOut, .exit_code = 130});

  EXPECT_EQ(record.status, Status::kTimedOut);
  EXPECT_THAT(record.error.value(), HasSubstr("1.5 s"));
  EXPECT_EQ(record.time.total_seconds, 2.0);
}

TEST_F(CellOutcomeTest, TellsThePeakOfARunThatTookTooMuchMemory) {
  const record::Record record = outcome(
      {.stopped = StopReason::kOutOfMemory, .signal = SIGKILL, .rss_peak_bytes = 1'230'000'000});

  EXPECT_EQ(record.status, Status::kOutOfMemory);
  EXPECT_THAT(record.error.value(), HasSubstr("1.23 GB"));
  EXPECT_THAT(record.error.value(), HasSubstr("1.00 GB"));
}

TEST_F(CellOutcomeTest, TellsAnInterruptByTheUser) {
  EXPECT_EQ(outcome({.stopped = StopReason::kInterrupted, .signal = SIGTERM}).status,
            Status::kInterrupted);
}

TEST(WasEndedFromOutside, IsWhatNeitherTheRunNorItsLimitsDid) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP}) {
    EXPECT_TRUE(was_ended_from_outside({.signal = signal})) << signal;
  }
  EXPECT_TRUE(was_ended_from_outside({.exit_code = 130})) << "it ended in order";

  EXPECT_FALSE(was_ended_from_outside({.signal = SIGSEGV}));
  EXPECT_FALSE(was_ended_from_outside({.signal = SIGABRT}));
  EXPECT_FALSE(was_ended_from_outside({.exit_code = 1}));
  EXPECT_FALSE(was_ended_from_outside({.exit_code = 0}));
  for (const StopReason reason :
       {StopReason::kTimedOut, StopReason::kOutOfMemory, StopReason::kInterrupted}) {
    EXPECT_FALSE(was_ended_from_outside({.stopped = reason, .signal = SIGKILL}));
  }
}

TEST_F(CellOutcomeTest, KnowsARunThatFailedForWantOfRoomOnADisk) {
  const ChildEnd full{.exit_code = 1,
                      .last_error_line = "cannot write it: No space left on device"};
  const ChildEnd quota{.signal = SIGABRT, .last_error_line = "what(): Disk quota exceeded"};

  EXPECT_TRUE(lacked_disk_space(outcome(full)));
  EXPECT_TRUE(lacked_disk_space(outcome(quota)));
  EXPECT_FALSE(lacked_disk_space(outcome({.exit_code = 1, .last_error_line = "no such file"})));
  write(Status::kOk);
  EXPECT_FALSE(lacked_disk_space(outcome({})));
}

}  // namespace
}  // namespace runahead::sweep
