#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

// Which ready operation a free worker takes. One worker, held at a gate while the rest is pushed.
namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

class EngineOrder : public ::testing::Test {
 protected:
  void start(ReadyOrder order) {
    engine_ = make_engine({.workers = 1, .ready_order = order});
    engine_->push({.name = "hold",
                   .body =
                       [this] {
                         is_held_.open();
                         gate_.pass();
                       },
                   .accesses = {writes(held_)}});
    is_held_.pass();
  }
  void push(char letter, AccessList accesses, int priority = 0) {
    engine_->push({.name = "letter",
                   .body = [this, letter] { order_ += letter; },
                   .accesses = std::move(accesses),
                   .priority = priority});
  }
  std::string finish() {
    gate_.open();
    engine_->wait_all();
    return order_;
  }

  const VariablePtr held_ = make_variable();

 private:
  Gate is_held_;
  Gate gate_;
  std::string order_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineOrder, FirstReadyRunsWhatDependsOnNothingEarly) {
  start(ReadyOrder::kFirstReady);
  push('a', {reads(held_)});
  push('b', {});
  push('c', {reads(held_)});
  push('d', {});

  EXPECT_EQ(finish(), "bdac");
}

TEST_F(EngineOrder, OldestFirstRunsInPushOrder) {
  start(ReadyOrder::kOldestFirst);
  push('a', {reads(held_)});
  push('b', {});
  push('c', {reads(held_)});
  push('d', {});

  EXPECT_EQ(finish(), "abcd");
}

TEST_F(EngineOrder, HigherPriorityStartsFirstWithOldestFirst) {
  start(ReadyOrder::kOldestFirst);
  push('a', {}, -1);
  push('b', {});
  push('c', {reads(held_)}, 7);
  push('d', {}, 7);
  push('e', {});

  EXPECT_EQ(finish(), "cdbea");
}

TEST_F(EngineOrder, HigherPriorityStartsFirstWithFirstReady) {
  start(ReadyOrder::kFirstReady);
  push('a', {}, -1);
  push('b', {});
  push('c', {reads(held_)}, 7);
  push('d', {}, 7);
  push('e', {});

  EXPECT_EQ(finish(), "dcbea");
}

TEST_F(EngineOrder, PriorityNeverOvertakesAHazard) {
  start(ReadyOrder::kOldestFirst);
  const VariablePtr x = make_variable();
  push('a', {writes(x)});
  push('b', {reads(x)}, 9);

  EXPECT_EQ(finish(), "ab");
}

}  // namespace
}  // namespace runahead::engine::test
