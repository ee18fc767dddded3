#include "core/sweep/interrupt_watch.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <boost/asio/io_context.hpp>

namespace runahead::sweep {
namespace {

TEST(InterruptWatch, HearsEachSignalAndKeepsAnIgnoredHangUpIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  boost::asio::io_context context;
  int calls = 0;
  {
    const InterruptWatch watch(context, [&](int) { ++calls; });
    ::raise(SIGHUP);
    ::raise(SIGINT);
    while (calls < 1) context.run_one();
    ::raise(SIGTERM);
    while (calls < 2) context.run_one();
  }
  context.run();

  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace runahead::sweep
