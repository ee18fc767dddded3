#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "core/engine/cost_ledger.h"
#include "core/engine/engine.h"
#include "support/gate.h"

namespace runahead::engine::test {

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
  runahead::test::Gate gate{};
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

}  // namespace runahead::engine::test
