#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

class EngineMarker : public ::testing::TestWithParam<EngineKind> {
 protected:
  std::unique_ptr<Engine> engine_ = make_engine(GetParam().options());
};

TEST_P(EngineMarker, FinishesAtOnceAndHereWhenNothingIsInFlight) {
  std::optional<std::thread::id> called_on;
  const Marker marker = engine_->mark([&](TimePoint) { called_on = std::this_thread::get_id(); });

  EXPECT_TRUE(marker.is_finished());
  EXPECT_TRUE(marker.finished_at().has_value());
  EXPECT_EQ(called_on, std::this_thread::get_id());
}

TEST_P(EngineMarker, CallsBackInOrderAndBeforeWaitAllReturns) {
  const VariablePtr x = make_variable();
  for (int round = 0; round < 100; ++round) {
    std::vector<int>
        called;  // Not synchronised: callbacks come in order, and before the wait ends.
    for (int batch = 0; batch < 5; ++batch) {
      engine_->push({.name = "work", .body = [] {}, .accesses = {writes(x)}});
      engine_->push({.name = "more", .body = [] {}});
      engine_->mark([&called, batch](TimePoint) { called.push_back(batch); });
    }
    engine_->wait_all();

    ASSERT_EQ(called, (std::vector<int>{0, 1, 2, 3, 4}));
  }
}

TEST_P(EngineMarker, CountsAreDownWhenItIsFinished) {
  for (int round = 0; round < 100; ++round) {
    engine_->push({.name = "work", .body = [] {}});
    const Marker marker = engine_->mark();
    marker.wait();

    ASSERT_TRUE(marker.is_finished());
    ASSERT_EQ(engine_->in_flight(), 0U);
  }
}

TEST_P(EngineMarker, FinishesAfterFailures) {
  engine_->push({.name = "fail", .body = [] { throw 1; }});
  const Marker marker = engine_->mark();

  EXPECT_NO_THROW(marker.wait());
  EXPECT_THROW(engine_->wait_all(), OperationError);
}

TEST_P(EngineMarker, OutlivesItsEngine) {
  engine_->push({.name = "work", .body = [] {}});
  const Marker marker = engine_->mark();
  engine_.reset();

  EXPECT_TRUE(marker.is_finished());
  EXPECT_NO_THROW(marker.wait());
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineMarker, ::testing::ValuesIn(kEngineKinds),
                         [](const auto& kind) { return kind.param.name; });

TEST(Marker, IsFinishedWhenDefaultConstructed) {
  EXPECT_TRUE(Marker().is_finished());
  EXPECT_FALSE(Marker().finished_at().has_value());
  EXPECT_NO_THROW(Marker().wait());
}

// worker 0:  first (held at the gate) ................................ first
// worker 1:            second | marks 1, 2 not finished | gate opens ....... marks 1, 2 finished
TEST(Marker, WaitsForTheOldestWhenOperationsFinishOutOfOrder) {
  const auto engine = make_engine({.workers = 2});
  const VariablePtr second = make_variable();
  Gate gate;
  std::vector<int> called;
  engine->push({.name = "first", .body = [&] { gate.pass(); }});
  const Marker after_first = engine->mark([&](TimePoint) { called.push_back(1); });
  engine->push({.name = "second", .body = [] {}, .accesses = {writes(second)}});
  const Marker after_second = engine->mark([&](TimePoint) { called.push_back(2); });

  engine->wait_for(second);
  EXPECT_FALSE(after_first.is_finished());
  EXPECT_FALSE(after_second.is_finished());
  EXPECT_FALSE(after_second.finished_at().has_value());
  gate.open();
  after_second.wait();

  EXPECT_TRUE(after_first.is_finished());
  EXPECT_EQ(called, (std::vector<int>{1, 2}));
  EXPECT_LE(after_first.finished_at(), after_second.finished_at());
}

TEST(Marker, FinishesWhileLaterOperationsAreInFlight) {
  const auto engine = make_engine({.workers = 1});
  Gate gate;
  engine->push({.name = "first", .body = [] {}});
  const Marker after_first = engine->mark();
  engine->push({.name = "second", .body = [&] { gate.pass(); }});

  after_first.wait();
  EXPECT_EQ(engine->in_flight(), 1U);
  gate.open();
  engine->wait_all();
}

TEST(Marker, ManyThreadsMayMarkAndWait) {
  const auto engine = make_engine({.workers = 2});
  std::atomic<int> called{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        engine->push({.name = "work", .body = [] {}});
        engine->mark([&](TimePoint) { ++called; }).wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(called, 800);
}

}  // namespace
}  // namespace runahead::engine::test
