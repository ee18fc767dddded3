#include "apps/cell/interrupt_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "support/gate.h"

namespace runahead::cell {
namespace {

using namespace std::chrono_literals;

class InterruptWatchTest : public ::testing::TestWithParam<int> {};

TEST_P(InterruptWatchTest, SignalRequestsAStop) {
  InterruptWatch watch(1h, [] {});
  test::Gate stopped;
  const std::stop_callback on_stop(watch.stop_token(), [&stopped] { stopped.open(); });

  kill(getpid(), GetParam());

  EXPECT_NO_THROW(stopped.pass());
}

INSTANTIATE_TEST_SUITE_P(EverySignal, InterruptWatchTest,
                         ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(InterruptWatch, StopThatIsNotHeededInTimeIsOverdue) {
  test::Gate overdue;
  InterruptWatch watch(1ms, [&overdue] { overdue.open(); });

  kill(getpid(), SIGINT);

  EXPECT_NO_THROW(overdue.pass());
}

TEST(InterruptWatch, SecondSignalEndsTheGrace) {
  test::Gate overdue;
  InterruptWatch watch(1h, [&overdue] { overdue.open(); });
  test::Gate stopped;
  const std::stop_callback on_stop(watch.stop_token(), [&stopped] { stopped.open(); });

  kill(getpid(), SIGINT);
  stopped.pass();
  kill(getpid(), SIGINT);

  EXPECT_NO_THROW(overdue.pass());
}

TEST(InterruptWatch, EndsWithoutASignal) {
  bool is_overdue = false;
  {
    InterruptWatch watch(1ms, [&is_overdue] { is_overdue = true; });
  }

  EXPECT_FALSE(is_overdue);
}

}  // namespace
}  // namespace runahead::cell
