#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

// Bodies run once and die once; variables die as soon as nobody can need them, and outside locks.
namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

struct Counts {
  std::atomic<int> runs{0};
  std::atomic<int> bodies_alive{0};
  std::atomic<int> bodies_died{0};
  std::atomic<int> variables_died{0};
};

/// A body that counts itself. Moved-from ones do not count.
class CountedBody {
 public:
  explicit CountedBody(Counts& counts) : counts_(&counts) { ++counts.bodies_alive; }
  CountedBody(CountedBody&& other) noexcept : counts_(std::exchange(other.counts_, nullptr)) {}
  CountedBody& operator=(CountedBody&&) = delete;
  ~CountedBody() {
    if (counts_ == nullptr) return;
    --counts_->bodies_alive;
    ++counts_->bodies_died;
  }
  void operator()() const { ++counts_->runs; }

 private:
  Counts* counts_;
};

class CountedVariable final : public Variable {
 public:
  explicit CountedVariable(Counts& counts) : counts_(counts) {}
  ~CountedVariable() override { ++counts_.variables_died; }

 private:
  Counts& counts_;
};

class EngineLifetime : public ::testing::TestWithParam<EngineKind> {
 protected:
  VariablePtr make_counted() { return VariablePtr(new CountedVariable(counts_)); }

  Counts counts_;
  std::unique_ptr<Engine> engine_ = make_engine(GetParam().options());
};

TEST_P(EngineLifetime, BodiesOfSeveralPushingThreadsRunOnceAndDieOnce) {
  constexpr int kThreads = 4;
  constexpr int kOperations = 2000;
  const VariablePtr shared = make_variable();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kOperations; ++i) {
        engine_->push({.name = "count",
                       .body = CountedBody(counts_),
                       .accesses = {i % 3 == 0 ? writes(shared) : reads(shared)}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  engine_->wait_all();

  EXPECT_EQ(counts_.runs, kThreads * kOperations);
  EXPECT_EQ(counts_.bodies_died, kThreads * kOperations);
  EXPECT_EQ(counts_.bodies_alive, 0);
}

TEST_P(EngineLifetime, SkippedBodiesDieUnrun) {
  const VariablePtr x = make_variable();
  engine_->push({.name = "fail", .body = [] { throw 1; }, .accesses = {writes(x)}});
  engine_->push({.name = "skipped", .body = CountedBody(counts_), .accesses = {reads(x)}});

  EXPECT_THROW(engine_->wait_all(), OperationError);

  EXPECT_EQ(counts_.runs, 0);
  EXPECT_EQ(counts_.bodies_died, 1);
}

TEST_P(EngineLifetime, RefusedBodiesDie) {
  EXPECT_THROW(
      engine_->push({.name = "null", .body = CountedBody(counts_), .accesses = {Access{}}}),
      UsageError);

  EXPECT_EQ(counts_.bodies_died, 1);
}

TEST_P(EngineLifetime, DeadVariablesAreGoneWhenWaitAllReturns) {
  for (int round = 1; round <= 300; ++round) {
    {
      const VariablePtr a = make_counted();
      const VariablePtr b = make_counted();
      engine_->push({.name = "write", .body = [] {}, .accesses = {writes(a)}});
      engine_->push({.name = "copy", .body = [] {}, .accesses = {reads(a), overwrites(b)}});
    }
    engine_->wait_all();

    ASSERT_EQ(counts_.variables_died, 2 * round);
    ASSERT_EQ(engine_->in_flight(), 0U);
  }
}

TEST_P(EngineLifetime, DeadInputsAreGoneWhenAWaitForTheOutputReturns) {
  const VariablePtr output = make_variable();
  for (int round = 1; round <= 300; ++round) {
    engine_->push(
        {.name = "write", .body = [] {}, .accesses = {reads(make_counted()), writes(output)}});
    engine_->wait_for(output);

    ASSERT_EQ(counts_.variables_died, round);
  }
}

TEST_P(EngineLifetime, AnOperationInFlightKeepsItsVariables) {
  if (GetParam().workers == 0) GTEST_SKIP() << "nothing is in flight after a push";
  Gate gate;
  engine_->push(
      {.name = "hold", .body = [&] { gate.pass(); }, .accesses = {writes(make_counted())}});

  EXPECT_EQ(counts_.variables_died, 0);
  gate.open();
  engine_->wait_all();
  EXPECT_EQ(counts_.variables_died, 1);
}

/// A variable whose destructor calls the engine, as a cache of memory might.
class PushingVariable final : public Variable {
 public:
  PushingVariable(Engine& engine, Counts& counts) : engine_(engine), counts_(counts) {}
  ~PushingVariable() override { engine_.push({.name = "late", .body = CountedBody(counts_)}); }

 private:
  Engine& engine_;
  Counts& counts_;
};

TEST_P(EngineLifetime, VariablesDieOutsideEveryLock) {
  for (int i = 0; i < 100; ++i) {
    VariablePtr variable(new PushingVariable(*engine_, counts_));
    engine_->push({.name = "last use",
                   .body = [] {},
                   .accesses = {{std::move(variable), AccessMode::kWrite}}});
  }
  engine_->wait_all();
  engine_->wait_all();  // For what the first one's operations pushed.

  EXPECT_EQ(counts_.runs, 100);
}

TEST_P(EngineLifetime, ShutdownWithWorkPendingRunsAllOfIt) {
  Gate gate;
  std::thread opener;
  {
    const VariablePtr x = make_counted();
    if (GetParam().workers > 0) {
      engine_->push({.name = "hold", .body = [&] { gate.pass(); }, .accesses = {writes(x)}});
    }
    for (int i = 0; i < 1000; ++i) {
      engine_->push({.name = "count", .body = CountedBody(counts_), .accesses = {writes(x)}});
    }
  }
  opener = std::thread([&] { gate.open(); });
  engine_.reset();
  opener.join();

  EXPECT_EQ(counts_.runs, 1000);
  EXPECT_EQ(counts_.bodies_died, 1000);
  EXPECT_EQ(counts_.variables_died, 1);
}

TEST_P(EngineLifetime, StartsAndStopsManyTimes) {
  for (int i = 0; i < 50; ++i) {
    engine_ = make_engine(GetParam().options());
    if (i % 2 == 0) engine_->push({.name = "count", .body = CountedBody(counts_)});
  }
  engine_.reset();

  EXPECT_EQ(counts_.runs, 25);
}

TEST_P(EngineLifetime, WorkersStartWithTheirIndex) {
  std::atomic<int> sum{0};
  EngineOptions options = GetParam().options();
  options.on_worker_start = [&](int worker) { sum += worker + 1; };
  engine_ = make_engine(options);

  EXPECT_EQ(sum, options.workers * (options.workers + 1) / 2);
}

TEST_P(EngineLifetime, WhatAStartingWorkerThrowsIsThrownToTheOwner) {
  if (GetParam().workers == 0) GTEST_SKIP() << "there are no workers";
  EngineOptions options = GetParam().options();
  options.on_worker_start = [&](int worker) {
    if (worker == options.workers - 1) throw UnavailableError("no CPU for it");
  };

  EXPECT_THROW(make_engine(options), UnavailableError);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineLifetime, ::testing::ValuesIn(kEngineKinds),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace runahead::engine::test
