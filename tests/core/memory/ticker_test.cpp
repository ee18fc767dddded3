#include "core/memory/ticker.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <thread>

namespace runahead::memory {
namespace {

TEST(SteadyTicker, EndsALongWaitWhenAStopIsRequested) {
  const auto ticker = make_steady_ticker();
  std::jthread waiter([&](const std::stop_token& stop) {
    ticker->wait_until(ticker->now() + std::chrono::hours(1), stop);
  });
  waiter.request_stop();
  waiter.join();  // Or the test runs into its time limit.
}

}  // namespace
}  // namespace runahead::memory
