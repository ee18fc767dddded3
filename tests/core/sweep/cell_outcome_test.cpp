#include "core/sweep/cell_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <optional>
#include <string>
#include <vector>

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

TEST_F(CellOutcomeTest, IsThatOfTheTable) {
  using enum StopReason;
  struct Row {
    const char* what;
    std::optional<Status> written;  ///< By the run, in its record.
    ChildEnd end;
    Status status;
    std::vector<std::string> parts_of_error;
  };
  const std::vector<Row> rows{
      {"it ended well", Status::kOk, {}, Status::kOk, {}},
      {"it wrote why", Status::kFailed, {.exit_code = 1}, Status::kFailed, {"'mm' failed"}},
      {"ok with an exit code", Status::kOk, {.exit_code = 1}, Status::kFailed, {""}},
      {"its last line says why",
       {},
       {.exit_code = 1, .last_error_line = "runahead: error: no such file"},
       Status::kFailed,
       {"no such file"}},
      {"not on this machine",
       {},
       {.exit_code = 3, .last_error_line = "no CUDA device"},
       Status::kSkipped,
       {"no CUDA device"}},
      {"interrupted by itself", {}, {.exit_code = 130}, Status::kInterrupted, {""}},
      {"no record", {}, {.exit_code = 0}, Status::kCrashed, {"exit code 0"}},
      {"a signal",
       Status::kOk,
       {.signal = SIGSEGV, .last_error_line = "last words"},
       Status::kCrashed,
       {"SIGSEGV", "last words"}},
      {"a request of another program to stop",
       {},
       {.signal = SIGTERM},
       Status::kInterrupted,
       {"SIGTERM", "another program"}},
      {"the time limit",
       Status::kInterrupted,
       {.stopped = kTimedOut, .exit_code = 130},
       Status::kTimedOut,
       {"1.50 s"}},
      {"the memory limit",
       {},
       {.stopped = kOutOfMemory, .signal = SIGKILL, .rss_peak_bytes = 1'230'000'000},
       Status::kOutOfMemory,
       {"1.23 GB", "1.00 GB"}},
      {"interrupted by the user",
       {},
       {.stopped = kInterrupted, .signal = SIGTERM},
       Status::kInterrupted,
       {""}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    std::filesystem::remove(folder_.path() / "record.json");
    if (row.written) write(*row.written);
    const record::Record record = outcome(row.end);

    EXPECT_EQ(record.status, row.status);
    for (const std::string& part : row.parts_of_error) {
      EXPECT_THAT(record.error.value_or(""), HasSubstr(part));
    }
    if (row.status == Status::kOk) {
      EXPECT_EQ(record.error, std::nullopt);
    }
    EXPECT_EQ(record.id, cell_.id);
    EXPECT_EQ(record.repeat, 2);
    EXPECT_EQ(record.axes, cell_.axes);
    const bool is_measured = row.written.has_value();
    EXPECT_EQ(record.time.total_seconds, is_measured ? std::optional(2.0) : std::nullopt);
  }
}

TEST(CellOutcome, KnowsWhatWasEndedFromOutsideAndWhatLackedRoomOnADisk) {
  EXPECT_TRUE(was_ended_from_outside({.signal = SIGKILL}));
  EXPECT_TRUE(was_ended_from_outside({.exit_code = 143})) << "it ended in order";
  for (const ChildEnd& end : {ChildEnd{.signal = SIGSEGV}, ChildEnd{.exit_code = 1},
                              ChildEnd{.stopped = StopReason::kTimedOut, .signal = SIGKILL}}) {
    EXPECT_FALSE(was_ended_from_outside(end));
  }
  record::Record record;
  record.status = Status::kCrashed;
  record.error = "what(): Disk quota exceeded";
  EXPECT_TRUE(lacked_disk_space(record));
  record.error = "no such file";
  EXPECT_FALSE(lacked_disk_space(record));
}

}  // namespace
}  // namespace runahead::sweep
