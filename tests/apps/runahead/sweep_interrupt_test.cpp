// Ctrl-C, and what is left behind when `runahead sweep` itself is killed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/record/record_file.h"
#include "program_fixture.h"
#include "support/fifo.h"

namespace runahead {
namespace {

using record::Status;
using test::ProgramEnd;
using ::testing::HasSubstr;

class SweepInterrupt : public test::ProgramTest {
 protected:
  void set_modes(const std::string& modes) {
    environment_["STUB_CELL_FIFO"] = fifo_.path().string();
    environment_["STUB_CELL_MODES"] = modes;
  }

  [[nodiscard]] static bool exists(pid_t process) { return ::kill(process, 0) == 0; }

  [[nodiscard]] std::vector<record::Record> records() const {
    return record::read_records(folder() / "out" / "records.jsonl");
  }

  test::Fifo fifo_{folder() / "fifo"};
};

TEST_F(SweepInterrupt, EndsItsCellsAndKeepsWhatTheyMeasured) {
  set_modes("graceful");
  test::Program sweep(folder(), RUNAHEAD, {"sweep", sweep_of_seeds(3), "--out", out()},
                      environment_);
  const pid_t cell = std::stoi(fifo_.read_line());
  sweep.send(SIGINT);
  const ProgramEnd end = sweep.wait();

  EXPECT_EQ(end.exit_code, 130);
  EXPECT_FALSE(exists(cell));
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records()[0].status, Status::kInterrupted);
  EXPECT_EQ(records()[0].time.total_seconds, 1.5);
}

TEST_F(SweepInterrupt, IsReportedAsRunningAndThenAsInterrupted) {
  set_modes("graceful");
  {
    const test::Program sweep(folder(), RUNAHEAD, {"sweep", sweep_of_seeds(3), "--out", out()},
                              environment_);
    static_cast<void>(fifo_.read_line());
    const ProgramEnd running = runahead({"report", out()});
    EXPECT_EQ(running.exit_code, 2);
    EXPECT_THAT(running.err,
                HasSubstr("/out' is running: 0 of 3 runs done; try again when a run has"));
  }
  EXPECT_THAT(runahead({"report", out()}).err,
              HasSubstr("/out' was interrupted: 0 of 3 runs done; the same `runahead sweep`"));
}

TEST_F(SweepInterrupt, IsReportedWithTheNumberOfRunsThatAreMissing) {
  set_modes("1=graceful");
  {
    const test::Program sweep(folder(), RUNAHEAD, {"sweep", sweep_of_seeds(3), "--out", out()},
                              environment_);
    for (int cell = 0; cell < 2; ++cell) static_cast<void>(fifo_.read_line());
  }
  const std::string state = "/out' is incomplete: 1 of 3 runs done; the same `runahead sweep`";
  EXPECT_THAT(runahead({"report", out(), "--table"}).err, HasSubstr(state));

  set_modes("ok");
  EXPECT_EQ(runahead({"sweep", sweep_of_seeds(3), "--out", out()}).exit_code, 0);
  EXPECT_EQ(runahead({"report", out(), "--table"}).err, "");
}

TEST_F(SweepInterrupt, KillsCellsThatDoNotStop) {
  set_modes("stubborn");
  test::Program sweep(folder(), RUNAHEAD,
                      {"sweep", sweep_of_seeds(4), "--out", out(), "--jobs", "2"}, environment_);
  const pid_t first = std::stoi(fifo_.read_line());
  const pid_t second = std::stoi(fifo_.read_line());
  sweep.send(SIGTERM);
  const ProgramEnd end = sweep.wait();

  EXPECT_EQ(end.exit_code, 128 + SIGTERM);
  EXPECT_FALSE(exists(first));
  EXPECT_FALSE(exists(second));
  EXPECT_EQ(records().size(), 2U);
}

TEST_F(SweepInterrupt, LeavesNoCellBehindWhenItIsKilled) {
  set_modes("hang");
  test::Program sweep(folder(), RUNAHEAD, {"sweep", sweep_of_seeds(1), "--out", out()},
                      environment_);
  const pid_t cell = std::stoi(fifo_.read_line());
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, cell, 0));
  ASSERT_GE(handle, 0);
  sweep.send(SIGKILL);
  sweep.wait();

  pollfd entry{.fd = handle, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&entry, 1, 30'000), 1);
  ::close(handle);
}

TEST_F(SweepInterrupt, ResumesAfterItWasKilled) {
  set_modes("hang");
  const std::string config = sweep_of_seeds(2);
  {
    test::Program sweep(folder(), RUNAHEAD, {"sweep", config, "--out", out()}, environment_);
    static_cast<void>(fifo_.read_line());
    sweep.send(SIGKILL);
    sweep.wait();
  }
  environment_ = {{"RUNAHEAD_CELL", STUB_CELL}};
  const ProgramEnd end = runahead({"sweep", config, "--out", out()});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(records().size(), 2U);
}

TEST_F(SweepInterrupt, InterruptsABenchmark) {
  set_modes("hang");
  test::Program bench(folder(), RUNAHEAD, {"bench", "train"}, environment_);
  const pid_t cell = std::stoi(fifo_.read_line());
  bench.send(SIGINT);

  EXPECT_EQ(bench.wait().exit_code, 130);
  EXPECT_FALSE(exists(cell));
}

}  // namespace
}  // namespace runahead
