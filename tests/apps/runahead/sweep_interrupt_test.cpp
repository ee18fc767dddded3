// Ctrl-C during `runahead sweep` and `runahead bench`.

#include <gtest/gtest.h>
#include <signal.h>

#include "core/record/record_file.h"
#include "program_fixture.h"
#include "support/fifo.h"

namespace runahead {
namespace {

using record::Status;
using test::ProgramEnd;

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
