#include "core/sweep/interrupt_watch.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <boost/asio/io_context.hpp>

namespace runahead::sweep {
namespace {

TEST(InterruptWatch, CallsOnceASignalFromTheContext) {
  boost::asio::io_context context;
  int calls = 0;
  const InterruptWatch watch(context, [&](int) { ++calls; });
  ::raise(SIGINT);
  EXPECT_EQ(calls, 0);
  while (calls < 1) context.run_one();
  ::raise(SIGTERM);
  while (calls < 2) context.run_one();
  context.poll();

  EXPECT_EQ(calls, 2);
}

TEST(InterruptWatch, KeepsAnIgnoredHangUpIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  boost::asio::io_context context;
  int calls = 0;
  {
    const InterruptWatch watch(context, [&](int) { ++calls; });
    ::raise(SIGHUP);
    ::raise(SIGINT);
    while (calls < 1) context.run_one();
  }
  context.run();

  EXPECT_EQ(calls, 1);
}

TEST(InterruptWatchDeathTest, GivesTheSignalsBack) {
  EXPECT_EXIT(
      {
        boost::asio::io_context context;
        {
          const InterruptWatch watch(context, [](int) {});
        }
        ::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace runahead::sweep
