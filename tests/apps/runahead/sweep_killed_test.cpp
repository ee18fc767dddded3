// What is left of a sweep that is killed at moments it cannot choose.

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <random>
#include <string>

#include "support/adopted_processes.h"
#include "support/fifo.h"
#include "sweep_fault_fixture.h"

namespace runahead {
namespace {

using SweepKilled = test::SweepFaultTest;

constexpr unsigned kKillSeed = 9;
constexpr int kKills = 20;

/// A moment in the life of a sweep: so many cells have begun, and then so much time went by.
struct Moment {
  int cells = 0;
  int milliseconds = 0;
};

Moment random_moment(std::mt19937& random) {
  return {.cells = std::uniform_int_distribution(1, 3)(random),
          .milliseconds = std::uniform_int_distribution(0, 30)(random)};
}

TEST_F(SweepKilled, AtRandomMomentsLosesNoRecordAndLeavesNoProcess) {
  const std::string config = sweep_of_seeds(60, {{"repeats", 2}, {"jobs", 2}});
  const RecordOfRun expected = undisturbed_records(config);
  ASSERT_EQ(expected.size(), 120U);

  const test::AdoptedProcesses adopted;
  std::mt19937 random(kKillSeed);
  environment_["STUB_CELL_MODES"] = "daemon";
  for (int kill = 0; kill < kKills; ++kill) {
    SCOPED_TRACE("kill " + std::to_string(kill) + " of seed " + std::to_string(kKillSeed));
    const Moment moment = random_moment(random);
    test::Fifo fifo(folder() / ("fifo" + std::to_string(kill)));
    environment_["STUB_CELL_FIFO"] = fifo.path().string();
    test::Program sweep(folder(), RUNAHEAD, {"sweep", config, "--out", out()}, environment_);
    for (int cell = 0; cell < moment.cells; ++cell) static_cast<void>(fifo.read_line());
    ::poll(nullptr, 0, moment.milliseconds);
    sweep.send(SIGKILL);

    EXPECT_EQ(sweep.wait().exit_code, -1) << "it had ended before";
    ASSERT_NO_THROW(adopted.wait_until_none_is_left());
  }
  environment_.erase("STUB_CELL_FIFO");
  const test::ProgramEnd end = runahead({"sweep", config, "--out", out()});

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(accepted_records(out()), expected);
  EXPECT_NO_THROW(adopted.wait_until_none_is_left());
}

}  // namespace
}  // namespace runahead
