#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

// What every engine promises, whatever its kind.
namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

class EngineConformance : public ::testing::TestWithParam<EngineKind> {
 protected:
  std::unique_ptr<Engine> engine_ = make_engine(GetParam().options());
};

TEST_P(EngineConformance, OrdersReadsAfterWritesAndWritesAfterReads) {
  const VariablePtr x = make_variable();
  int value = 0;
  std::vector<int> seen;
  for (int i = 1; i <= 1000; ++i) {
    engine_->push({.name = "write", .body = [&, i] { value = i; }, .accesses = {writes(x)}});
    engine_->push({.name = "read", .body = [&] { seen.push_back(value); }, .accesses = {reads(x)}});
  }
  engine_->wait_for(x);
  engine_->wait_all();

  ASSERT_EQ(seen.size(), 1000U);
  for (int i = 1; i <= 1000; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i - 1)], i);
}

TEST_P(EngineConformance, WhatOnlyTakesItsTurnKeepsItsPlaceAmongReadsAndWrites) {
  const VariablePtr x = make_variable();
  std::vector<int> order;  // Guarded by the order itself.
  const std::vector<Access> turns{orders(x), writes(x), orders(x), orders(x), overwrites(x)};
  int count = 0;
  for (int round = 0; round < 200; ++round) {
    for (const Access& turn : turns) {
      const int number = count++;
      engine_->push(
          {.name = "turn", .body = [&, number] { order.push_back(number); }, .accesses = {turn}});
    }
    engine_->push({.name = "read",
                   .body =
                       [&, seen = static_cast<std::size_t>(count)] {
                         if (order.size() != seen)
                           throw std::logic_error("a read is out of its turn");
                       },
                   .accesses = {reads(x)}});
  }

  EXPECT_NO_THROW(engine_->wait_for(x));
  EXPECT_NO_THROW(engine_->wait_all());
  EXPECT_EQ(order.size(), static_cast<std::size_t>(count));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(EngineConformance, WaitForReturnsOnceTheLastWriteHasFinished) {
  const VariablePtr x = make_variable();
  for (int i = 0; i < 200; ++i) {
    int value = 0;
    engine_->push({.name = "write", .body = [&] { value = 1; }, .accesses = {writes(x)}});
    engine_->wait_for(x);
    ASSERT_EQ(value, 1);
    ASSERT_TRUE(engine_->is_settled(x));
    ASSERT_EQ(engine_->in_flight(), 0U);
  }
}

TEST_P(EngineConformance, WaitingForAVariableThatNothingWroteReturnsAtOnce) {
  const VariablePtr x = make_variable();
  engine_->push({.name = "read", .body = [] {}, .accesses = {reads(x)}});

  EXPECT_NO_THROW(engine_->wait_for(x));
}

TEST_P(EngineConformance, AVariableMayBeListedManyTimes) {
  const VariablePtr x = make_variable();
  int value = 1;
  engine_->push({.name = "double",
                 .body = [&] { value += value; },
                 .accesses = {reads(x), reads(x), writes(x), reads(x)}});
  engine_->push(
      {.name = "again", .body = [&] { value += value; }, .accesses = {writes(x), reads(x)}});
  engine_->wait_all();

  EXPECT_EQ(value, 4);
}

/// Operations that follow each other without end: each pushes the next before it is over.
class EndlessOperations {
 public:
  explicit EndlessOperations(Engine& engine) : engine_(engine) { push(); }
  ~EndlessOperations() {
    is_stopped_ = true;
    while (engine_.in_flight() > 0) engine_.wait_all();
  }
  EndlessOperations(const EndlessOperations&) = delete;
  EndlessOperations& operator=(const EndlessOperations&) = delete;

  /// Whether they have come to an end by themselves, after the time that a test has for it.
  [[nodiscard]] bool are_over() const { return are_over_; }

 private:
  void push() {
    engine_.push({.name = "endless", .body = [this] {
                    are_over_ = std::chrono::steady_clock::now() - start_ > kPatience;
                    if (!is_stopped_ && !are_over_) push();
                  }});
  }

  static constexpr std::chrono::seconds kPatience{10};
  Engine& engine_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> is_stopped_{false};
  std::atomic<bool> are_over_{false};
};

TEST_P(EngineConformance, WaitAllWaitsForWhatWasPushedBeforeItAndForNothingElse) {
  if (GetParam().workers == 0) GTEST_SKIP() << "nothing is in flight after a push";
  const EndlessOperations others(*engine_);
  std::atomic<int> runs{0};
  for (int round = 1; round <= 20; ++round) {
    for (int i = 0; i < 10; ++i) engine_->push({.name = "count", .body = [&] { ++runs; }});
    engine_->wait_all();

    ASSERT_EQ(runs, 10 * round);
    ASSERT_GT(engine_->in_flight(), 0U);
    ASSERT_FALSE(others.are_over());
  }
}

TEST_P(EngineConformance, RefusesAnEmptyBodyAndANullVariable) {
  EXPECT_THROW(engine_->push({.name = "empty"}), UsageError);
  EXPECT_THROW(engine_->push({.name = "null", .body = [] {}, .accesses = {Access{}}}), UsageError);
  EXPECT_THROW(engine_->wait_for(VariablePtr()), UsageError);
  EXPECT_EQ(engine_->in_flight(), 0U);
}

TEST_P(EngineConformance, BodiesMayPush) {
  const VariablePtr x = make_variable();
  std::vector<int> order;
  engine_->push({.name = "outer",
                 .body =
                     [&] {
                       engine_->push({.name = "inner",
                                      .body = [&] { order.push_back(2); },
                                      .accesses = {writes(x)}});
                       order.push_back(1);
                     },
                 .accesses = {writes(x)}});
  engine_->wait_all();
  engine_->wait_for(x);

  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_P(EngineConformance, RefusesToWaitInsideABody) {
  const VariablePtr x = make_variable();
  engine_->push({.name = "waits", .body = [&] { engine_->wait_all(); }, .accesses = {writes(x)}});

  EXPECT_THROW(engine_->wait_for(x), OperationError);
}

TEST_P(EngineConformance, DestructionFinishesWhatIsInFlight) {
  const VariablePtr x = make_variable();
  int runs = 0;
  for (int i = 0; i < 1000; ++i) {
    engine_->push({.name = "count", .body = [&] { ++runs; }, .accesses = {writes(x)}});
  }
  engine_.reset();

  EXPECT_EQ(runs, 1000);
}

TEST_P(EngineConformance, AnIdleVariableGoesOnWithAnotherEngine) {
  const VariablePtr x = make_variable();
  for (int i = 0; i < 20; ++i) {
    engine_->push({.name = "write", .body = [] {}, .accesses = {writes(x)}});
  }
  engine_->wait_all();
  const auto other = make_engine(GetParam().options());
  int value = 0;

  EXPECT_NO_THROW(other->wait_for(x));
  other->push({.name = "write", .body = [&] { value = 1; }, .accesses = {writes(x)}});
  other->wait_for(x);

  EXPECT_EQ(value, 1);
}

// The new engine may well stand where the old one stood, with fewer pushes behind it.
TEST_P(EngineConformance, AVariableOutlivesItsEngine) {
  const VariablePtr x = make_variable();
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 20; ++i) {
      engine_->push({.name = "write", .body = [] {}, .accesses = {writes(x)}});
    }
    engine_.reset();
    engine_ = make_engine(GetParam().options());

    ASSERT_TRUE(engine_->is_settled(x));
    ASSERT_NO_THROW(engine_->wait_for(x));
  }
}

TEST_P(EngineConformance, WhatOneEngineHasInFlightDoesNotUnsettleVariablesOfAnother) {
  const VariablePtr x = make_variable();
  for (int i = 0; i < 5; ++i) {
    engine_->push({.name = "write", .body = [] {}, .accesses = {writes(x)}});
  }
  engine_->wait_all();
  Gate gate;
  if (GetParam().workers == 0) gate.open();
  const auto other = make_engine(GetParam().options());
  for (int i = 0; i < 10; ++i) {
    other->push({.name = "hold", .body = [&] { gate.pass(); }});
  }

  EXPECT_TRUE(other->is_settled(x));
  gate.open();
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineConformance, ::testing::ValuesIn(kEngineKinds),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace runahead::engine::test
