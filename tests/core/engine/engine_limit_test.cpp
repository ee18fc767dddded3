#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/cost_ledger.h"
#include "core/engine/engine_kinds.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

/// One worker's engine with a limit of bytes, on which `hold_bytes` are in flight until the gate
/// is opened.
struct FullEngine {
  FullEngine(std::uint64_t limit_bytes, std::uint64_t hold_bytes) {
    engine = make_engine(
        {.workers = 1, .limit = {.bytes = limit_bytes}, .ledger = &ledger, .observer = &ledger});
    engine->push({.name = "hold", .body = [this] { gate.pass(); }, .cost_bytes = hold_bytes});
  }
  ~FullEngine() {
    gate.open();
    engine->wait_all();
  }
  FullEngine(const FullEngine&) = delete;
  FullEngine& operator=(const FullEngine&) = delete;

  CostLedger ledger{};
  Gate gate{};
  std::unique_ptr<Engine> engine{};
};

/// A front-end thread of its own whose push or admission is held at a full engine's limit.
class HeldThread {
 public:
  /// Blocks until it is held; a failure of the test if it is not.
  /// @param looks  It is held for sure once the ledger was asked more often than this. For a claim
  ///               larger than the limit 2: at the third look it has the lock until it sleeps.
  HeldThread(FullEngine& full, std::function<void(Engine&)> claim, std::uint64_t looks = 3)
      : asked_(full.ledger.times_asked()), thread_([this, &full, claim = std::move(claim)] {
          claim(*full.engine);
          is_through_ = true;
        }) {
    EXPECT_TRUE(comes_true([&] { return full.ledger.times_asked() > asked_ + looks; }))
        << "it was not held";
    EXPECT_FALSE(is_through_);
  }
  ~HeldThread() { join(); }
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;

  /// Blocks until it is let through.
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::uint64_t asked_;
  std::atomic<bool> is_through_{false};
  std::thread thread_;
};

/// An engine with one worker that reports to `notices`.
std::unique_ptr<Engine> make_noticing_engine(const RunAheadLimit& limit, CostLedger& ledger,
                                             std::vector<LimitNotice>& notices) {
  const auto note = [&notices](const LimitNotice& notice) { notices.push_back(notice); };
  return make_engine({.workers = 1,
                      .limit = limit,
                      .ledger = &ledger,
                      .observer = &ledger,
                      .on_limit_notice = note});
}

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

TEST(EngineLimit, AHigherLimitReleasesWhatWasLargerThanTheLimit) {
  FullEngine full(10, 10);
  HeldThread pusher(
      full,
      [](Engine& engine) { engine.push({.name = "large", .body = [] {}, .cost_bytes = 100}); },
      /*looks=*/2);

  full.engine->set_limit({.bytes = 1000});
  pusher.join();

  EXPECT_EQ(full.engine->in_flight(), 2U);
}

TEST(EngineLimit, WhatAllocatesNothingIsNotHeldAtALimitOfBytes) {
  FullEngine full(10, 100);
  for (int i = 0; i < 10; ++i) full.engine->push({.name = "update", .body = [] {}});

  EXPECT_EQ(full.engine->in_flight(), 11U);
}

TEST(EngineLimit, BytesThatAreAllocatedAtIssueAreAdmittedAsOperationsAre) {
  FullEngine full(10, 6);
  full.engine->admit(4);
  EXPECT_EQ(full.engine->committed_bytes(), 10U);
  HeldThread asker(full, [](Engine& engine) { engine.admit(1); });

  full.gate.open();
  asker.join();
  full.engine->wait_all();
  EXPECT_EQ(full.engine->committed_bytes(), 5U);
}

// The last operation may finish between the gate's two checks.
TEST(EngineLimit, WhatFitsIntoAnEmptyQueueNeverNotifies) {
  for (const RunAheadLimit& limit : {RunAheadLimit{.operations = 1}, RunAheadLimit{.bytes = 10}}) {
    CostLedger ledger;
    std::vector<LimitNotice> notices;
    const auto engine = make_noticing_engine(limit, ledger, notices);
    for (int i = 0; i < 1'000; ++i) {
      engine->push({.name = "work", .body = [] {}, .cost_bytes = 10});
    }
    engine->wait_all();

    EXPECT_TRUE(notices.empty());
  }
}

TEST(EngineLimit, AnOperationLargerThanTheLimitGetsItsTurnBesideABusyThread) {
  CostLedger ledger;
  const auto engine =
      make_engine({.workers = 1, .limit = {.bytes = 100}, .ledger = &ledger, .observer = &ledger});
  std::atomic<bool> is_done{false};
  std::thread busy([&] {
    while (!is_done) engine->push({.name = "update", .body = [] {}});
  });
  for (int i = 0; i < 20; ++i) engine->push({.name = "large", .body = [] {}, .cost_bytes = 1000});
  is_done = true;
  busy.join();
  engine->wait_all();
  EXPECT_EQ(ledger.shared_peak(), 0U);
}

TEST(EngineLimit, NotifiesOncePerLimitThatTheBacklogHasGrownLarge) {
  CostLedger ledger;
  std::vector<LimitNotice> notices;
  const auto engine = make_noticing_engine({.bytes = 100, .notice_bytes = 50}, ledger, notices);
  engine->admit(40);
  Gate gate;
  const auto hold = [&](std::uint64_t bytes) {
    engine->push({.name = "hold", .body = [&] { gate.pass(); }, .cost_bytes = bytes});
  };
  for (int i = 0; i < 5; ++i) hold(10);
  EXPECT_TRUE(notices.empty()) << "50 bytes are kept by operations, and 40 by the program";
  for (int i = 0; i < 3; ++i) hold(1);

  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].kind, LimitNotice::Kind::kLargeBacklog);
  EXPECT_GT(notices[0].backlog_bytes, 50U);
  EXPECT_GE(notices[0].operations, 6U);
  engine->set_limit({.operations = 100, .bytes = 100, .notice_bytes = 50});
  hold(1);
  EXPECT_EQ(notices.size(), 1U) << "it bounds as many bytes";
  engine->set_limit({.bytes = 101, .notice_bytes = 50});
  hold(1);
  EXPECT_EQ(notices.size(), 2U);
  gate.open();
  engine->wait_all();
}

}  // namespace
}  // namespace runahead::engine::test
