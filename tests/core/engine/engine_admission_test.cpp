#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "core/engine/cost_ledger.h"
#include "core/engine/engine_kinds.h"
#include "core/engine/full_engine.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

/// The notices of an engine.
class Notices {
 public:
  [[nodiscard]] LimitNoticeHandler handler() {
    return [this](const LimitNotice& notice) { given_.push_back(notice); };
  }
  [[nodiscard]] const std::vector<LimitNotice>& given() const { return given_; }

 private:
  std::vector<LimitNotice> given_{};
};

/// An engine with one worker that reports to `notices`.
std::unique_ptr<Engine> make_noticing_engine(const RunAheadLimit& limit, CostLedger& ledger,
                                             Notices& notices) {
  return make_engine({.workers = 1,
                      .limit = limit,
                      .ledger = &ledger,
                      .observer = &ledger,
                      .on_limit_notice = notices.handler()});
}

TEST(EngineAdmission, AHigherLimitReleasesWhatWasLargerThanTheLimit) {
  FullEngine full(10, 10);
  HeldThread pusher(
      full,
      [](Engine& engine) { engine.push({.name = "large", .body = [] {}, .cost_bytes = 100}); },
      /*looks=*/2);

  full.engine->set_limit({.bytes = 1000});
  pusher.join();

  EXPECT_EQ(full.engine->in_flight(), 2U);
}

TEST(EngineAdmission, WhatAllocatesNothingIsNotHeldAtALimitOfBytes) {
  FullEngine full(10, 100);
  for (int i = 0; i < 10; ++i) full.engine->push({.name = "update", .body = [] {}});

  EXPECT_EQ(full.engine->in_flight(), 11U);
}

TEST(EngineAdmission, BytesThatAreAllocatedAtIssueAreAdmittedAsOperationsAre) {
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
TEST(EngineAdmission, WhatFitsIntoAnEmptyQueueNeverNotifies) {
  for (const RunAheadLimit& limit : {RunAheadLimit{.operations = 1}, RunAheadLimit{.bytes = 10}}) {
    CostLedger ledger;
    Notices notices;
    const auto engine = make_noticing_engine(limit, ledger, notices);
    for (int i = 0; i < 1'000; ++i) {
      engine->push({.name = "work", .body = [] {}, .cost_bytes = 10});
    }
    engine->wait_all();

    EXPECT_TRUE(notices.given().empty());
  }
}

TEST(EngineAdmission, AnOperationLargerThanTheLimitGetsItsTurnBesideABusyThread) {
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

TEST(EngineAdmission, NotifiesOncePerLimitThatTheBacklogHasGrownLarge) {
  CostLedger ledger;
  Notices notices;
  const auto engine = make_noticing_engine({.bytes = 100, .notice_bytes = 50}, ledger, notices);
  engine->admit(40);
  Gate gate;
  for (int i = 0; i < 5; ++i) {
    engine->push({.name = "hold", .body = [&] { gate.pass(); }, .cost_bytes = 10});
  }
  EXPECT_TRUE(notices.given().empty()) << "50 bytes are kept by operations, and 40 by the program";
  engine->push({.name = "hold", .body = [&] { gate.pass(); }, .cost_bytes = 1});
  engine->push({.name = "hold", .body = [&] { gate.pass(); }, .cost_bytes = 1});
  engine->push({.name = "hold", .body = [&] { gate.pass(); }, .cost_bytes = 1});

  ASSERT_EQ(notices.given().size(), 1U);
  EXPECT_EQ(notices.given()[0].kind, LimitNotice::Kind::kLargeBacklog);
  EXPECT_GT(notices.given()[0].backlog_bytes, 50U);
  EXPECT_GE(notices.given()[0].operations, 6U);
  engine->set_limit({.operations = 100, .bytes = 100, .notice_bytes = 50});
  engine->push({.name = "hold", .body = [&] { gate.pass(); }, .cost_bytes = 1});
  EXPECT_EQ(notices.given().size(), 1U) << "it bounds as many bytes";
  engine->set_limit({.bytes = 101, .notice_bytes = 50});
  engine->push({.name = "hold", .body = [&] { gate.pass(); }, .cost_bytes = 1});
  EXPECT_EQ(notices.given().size(), 2U);
  gate.open();
  engine->wait_all();
}

}  // namespace
}  // namespace runahead::engine::test
