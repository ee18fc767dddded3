#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "core/engine/engine_kinds.h"
#include "core/engine/object_memory.h"
#include "core/engine/operation_body.h"
#include "core/engine/operation_node.h"
#include "support/gate.h"

// A body runs once and is destroyed once. A variable is destroyed with its last use, outside locks.
namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

struct Counts {
  std::atomic<int> runs{0};
  std::atomic<int> bodies_alive{0};
  std::atomic<int> variables_died{0};
};

/// A body that counts itself, unless it was moved from.
class CountedBody {
 public:
  explicit CountedBody(Counts& counts) : counts_(&counts) { ++counts.bodies_alive; }
  CountedBody(CountedBody&& other) noexcept : counts_(std::exchange(other.counts_, nullptr)) {}
  CountedBody& operator=(CountedBody&&) = delete;
  ~CountedBody() {
    if (counts_ != nullptr) --counts_->bodies_alive;
  }
  void operator()() const { ++counts_->runs; }

 private:
  Counts* counts_;
};

class CountedVariable final : public Variable {
 public:
  explicit CountedVariable(Counts& counts) : counts_(counts) {}
  ~CountedVariable() override {
    if (!VariablePtr::of_living(*this)) ++counts_.variables_died;  // No reference once it ends.
  }

 private:
  Counts& counts_;
};

class EngineLifetime : public EachEngine {
 protected:
  VariablePtr make_counted() { return VariablePtr(new CountedVariable(counts_)); }

  Counts counts_;
};

TEST_P(EngineLifetime, BodiesThatAreSkippedOrRejectedAreDestroyedWithoutRunning) {
  const VariablePtr x = make_variable();
  engine_->push({.name = "fail", .body = [] { throw 1; }, .accesses = {writes(x)}});
  engine_->push({.name = "skipped", .body = CountedBody(counts_), .accesses = {reads(x)}});
  EXPECT_THROW(engine_->wait_all(), OperationError);
  EXPECT_EQ(counts_.bodies_alive, 0);

  EXPECT_THROW(
      engine_->push({.name = "null", .body = CountedBody(counts_), .accesses = {Access{}}}),
      UsageError);
  EXPECT_EQ(counts_.bodies_alive, 0);
  EXPECT_EQ(counts_.runs, 0);
}

TEST_P(EngineLifetime, DeadVariablesAreGoneWhenAWaitReturns) {
  const VariablePtr output = make_variable();
  for (int round = 1; round <= 300; ++round) {
    {
      const VariablePtr a = make_counted();
      const VariablePtr b = make_counted();
      engine_->push({.name = "write", .body = [] {}, .accesses = {writes(a)}});
      engine_->push({.name = "copy", .body = [] {}, .accesses = {reads(a), overwrites(b)}});
    }
    engine_->wait_all();
    ASSERT_EQ(counts_.variables_died, 3 * round - 1);

    engine_->push(
        {.name = "read", .body = [] {}, .accesses = {reads(make_counted()), writes(output)}});
    engine_->wait_for(output);
    ASSERT_EQ(counts_.variables_died, 3 * round);
  }
}

/// Its destructor calls the engine, as those of a cache of memory or of a language binding might.
struct Pusher {
  Pusher(Engine& engine_to_call, Counts& counts_to_change)
      : engine(&engine_to_call), counts(&counts_to_change) {}
  Pusher(const Pusher&) = default;
  Pusher& operator=(const Pusher&) = default;
  ~Pusher() { engine->push({.name = "late", .body = CountedBody(*counts)}); }
  Engine* engine;
  Counts* counts;
};
struct PushingVariable final : Variable, Pusher {
  using Pusher::Pusher;
};

TEST_P(EngineLifetime, VariablesAndErrorsAreDestroyedOutsideEveryLock) {
  const VariablePtr x = make_variable();
  for (int i = 0; i < 100; ++i) {
    VariablePtr variable(new PushingVariable(*engine_, counts_));
    engine_->push({.name = "last use",
                   .body = [] {},
                   .accesses = {{std::move(variable), AccessMode::kWrite}}});
  }
  engine_->wait_all();
  engine_->wait_all();  // For what the first one's operations pushed.
  EXPECT_EQ(counts_.runs, 100);

  engine_->push({.name = "fails",
                 .body = [this] { throw Pusher(*engine_, counts_); },
                 .accesses = {writes(x)}});
  EXPECT_THROW(engine_->wait_all(), OperationError);
  engine_->push({.name = "clear", .body = [] {}, .accesses = {overwrites(x)}});
  EXPECT_NO_THROW(engine_->wait_all());
  EXPECT_NO_THROW(engine_->wait_all());
  EXPECT_GT(counts_.runs, 100);
}

TEST_P(EngineLifetime, DestructionRunsAllThatIsPending) {
  Gate gate;
  const std::array<char, 2 * OperationBody::kInlineBytes> large{};  // Makes a body go on the heap.
  {
    const VariablePtr x = make_counted();
    if (GetParam().workers > 0) {
      engine_->push({.name = "hold", .body = [&] { gate.pass(); }, .accesses = {writes(x)}});
    }
    for (int i = 0; i < 500; ++i) {
      engine_->push({.name = "count", .body = CountedBody(counts_), .accesses = {writes(x)}});
      engine_->push({.name = "large",
                     .body = [body = CountedBody(counts_), large] { body(); },
                     .accesses = {writes(x)}});
    }
  }
  if (GetParam().workers > 0) {
    EXPECT_EQ(counts_.variables_died, 0) << "operations in flight keep it";
  }
  std::thread opener([&] { gate.open(); });
  engine_.reset();
  opener.join();

  EXPECT_EQ(counts_.runs, 1000);
  EXPECT_EQ(counts_.bodies_alive, 0);
  EXPECT_EQ(counts_.variables_died, 1);
}

TEST_P(EngineLifetime, NodesAreReusedAndKeptInABoundedNumber) {
  constexpr int kDeep = 50'000;
  const VariablePtr x = make_variable();
  Gate gate;
  if (GetParam().workers > 0) {
    engine_->push({.name = "hold", .body = [&] { gate.pass(); }, .accesses = {writes(x)}});
  }
  for (int i = 0; i < kDeep; ++i) {
    engine_->push({.name = "work", .body = [] {}, .accesses = {writes(x)}});
  }
  const std::uint64_t deep_bytes = engine_->bookkeeping_bytes();
  gate.open();
  engine_->wait_all();
  const std::uint64_t bytes = engine_->bookkeeping_bytes();
  for (int i = 0; i < 1000; ++i) {
    engine_->push({.name = "work", .body = [] {}});
    engine_->wait_all();
  }

  const std::uint64_t most_at_once = GetParam().workers > 0 ? kDeep + 1 : 1;
  if (most_at_once > 1) {
    EXPECT_GE(deep_bytes, kDeep * sizeof(OperationNode));
  }
  constexpr std::uint64_t kNodeBytes = (sizeof(OperationNode) + 63) / 64 * 64;
  EXPECT_LE(bytes, (most_at_once + 2 * ObjectMemory::kWorthwhile) * kNodeBytes);
  EXPECT_LE(engine_->bookkeeping_bytes(),
            bytes + 2 * ObjectMemory::kWorthwhile * sizeof(OperationNode));
}

TEST_P(EngineLifetime, WorkersStartWithTheirIndexAndTheirErrorsReachTheOwner) {
  std::atomic<int> sum{0};
  EngineOptions options = GetParam().options();
  options.on_worker_start = [&](int worker) { sum += worker + 1; };
  engine_ = make_engine(options);
  EXPECT_EQ(sum, options.workers * (options.workers + 1) / 2);

  if (options.workers == 0) return;
  options.on_worker_start = [&](int worker) {
    if (worker == options.workers - 1) throw UnavailableError("no CPU for it");
  };
  EXPECT_THROW(make_engine(options), UnavailableError);
}

RUNAHEAD_RUN_ON_EACH_ENGINE(EngineLifetime);

}  // namespace
}  // namespace runahead::engine::test
