#include "apps/cell/interrupt_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "support/gate.h"

namespace runahead::cell {
namespace {

using namespace std::chrono_literals;

TEST(InterruptWatch, ASignalRequestsAStopAndASecondOneEndsTheGrace) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ASSERT_NE(std::signal(signal, SIG_DFL), SIG_ERR);  // `nohup` ignores SIGHUP.
    test::Gate overdue;
    InterruptWatch watch(1h, [&overdue] { overdue.open(); });
    test::Gate stopped;
    const std::stop_callback on_stop(watch.stop_token(), [&stopped] { stopped.open(); });

    kill(getpid(), signal);
    stopped.pass();
    kill(getpid(), SIGINT);

    EXPECT_NO_THROW(overdue.pass());
  }
}

}  // namespace
}  // namespace runahead::cell
