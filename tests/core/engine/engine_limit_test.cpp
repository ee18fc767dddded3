#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "core/engine/cost_ledger.h"
#include "core/engine/engine_kinds.h"
#include "core/engine/full_engine.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

// The ledger is asked at every look: once a push, and again and again while one is held.
TEST(EngineLimit, HoldsWhileTheOldestOperationIsTooOld) {
  CostLedger ledger;
  const auto engine = make_engine(
      {.workers = 2,
       .limit = {.bytes = std::numeric_limits<std::uint64_t>::max() / 2, .seconds = 0.02},
       .ledger = &ledger});
  Gate gate;
  engine->push({.name = "old", .body = [&] { gate.pass(); }, .cost_bytes = 1});
  std::atomic<std::uint64_t> pushes{1};
  std::atomic<bool> is_done{false};
  std::thread pusher([&] {
    while (!is_done) {
      engine->push({.name = "young", .body = [] {}, .cost_bytes = 1});
      ++pushes;
    }
  });

  EXPECT_TRUE(comes_true([&] { return ledger.times_asked() > pushes + 10; })) << "it was not held";
  EXPECT_GE(engine->oldest_seconds(), 0.02);
  const std::uint64_t pushes_when_held = pushes;
  gate.open();
  EXPECT_TRUE(comes_true([&] { return pushes > pushes_when_held + 1; })) << "it was not released";
  is_done = true;
  pusher.join();
  engine->wait_all();
  EXPECT_EQ(engine->oldest_seconds(), 0.0);
}

TEST(EngineLimit, PushesAndAdmissionsFromABodyAreNeverHeld) {
  CostLedger ledger;
  const auto engine =
      make_engine({.workers = 1, .limit = {.operations = 1, .bytes = 1}, .ledger = &ledger});
  std::atomic<int> runs{0};
  engine->push({.name = "outer", .body = [&] {
                  for (int i = 0; i < 10; ++i) {
                    engine->push({.name = "inner", .body = [&] { ++runs; }});
                  }
                  engine->admit(5);
                }});
  engine->wait_all();
  engine->wait_all();  // For what the body pushed.

  EXPECT_EQ(runs, 10);
  EXPECT_EQ(engine->committed_bytes(), 5U);
  EXPECT_EQ(engine->in_flight_peak(), 11U);
  engine->reset_peaks();
  EXPECT_EQ(engine->in_flight_peak(), 0U);
}

// The limit changes with almost every push, and every push may exceed it alone.
TEST(EngineLimit, NoSequenceOfSmallLimitsDeadlocks) {
  CostLedger ledger;
  const auto engine = make_engine({.workers = 2, .ledger = &ledger, .observer = &ledger});
  std::vector<VariablePtr> variables(4);
  for (VariablePtr& variable : variables) variable = make_variable();
  std::mt19937_64 random(1);
  const auto any = [&] { return variables[random() % variables.size()]; };
  std::atomic<int> runs{0};
  int pushes = 0;
  for (int round = 0; round < 2'000; ++round) {
    const std::uint64_t most_operations = 1 + random() % 4;
    engine->set_limit({.operations = most_operations, .bytes = 1 + random() % 64});
    for (std::uint64_t i = 1 + random() % 4; i > 0; --i, ++pushes) {
      engine->push({.name = "work",
                    .body = [&] { ++runs; },
                    .accesses = {reads(any()), writes(any())},
                    .cost_bytes = random() % 100});
      ASSERT_LE(engine->in_flight(), most_operations);
    }
  }
  engine->wait_all();

  EXPECT_EQ(runs, pushes);
}

TEST(EngineLimit, RejectsLimitsOutOfRange) {
  EXPECT_THROW(make_engine({.workers = 1, .limit = {.operations = 0}}), UsageError);
  EXPECT_THROW(make_engine({.workers = 1, .limit = {.seconds = 0.0}}), UsageError);
  EXPECT_THROW(make_engine({.workers = 1, .limit = {.bytes = 1}}), UsageError);
  EXPECT_THROW(make_engine({.workers = 0, .limit = {.operations = 0}}), UsageError);
  EXPECT_THROW(make_engine({.workers = -1}), UsageError);
  EXPECT_THROW(make_engine({.workers = 257}), UsageError);
  const auto engine = make_engine({.workers = 1, .limit = {.operations = 3}});
  EXPECT_THROW(engine->set_limit({.operations = 0}), UsageError);
  EXPECT_EQ(engine->limit().operations, 3U);
}

}  // namespace
}  // namespace runahead::engine::test
