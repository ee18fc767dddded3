#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "core/engine/cost_ledger.h"
#include "core/engine/engine_kinds.h"
#include "core/engine/failure.h"
#include "core/engine/object_memory.h"
#include "core/engine/operation_body.h"
#include "core/engine/operation_node.h"
#include "support/error_message.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

// What errors carry, and when they are reported. Which operations an error skips and which
// variables it poisons is in engine_model_test.cpp.

using runahead::test::error_message;
using ::testing::HasSubstr;

class EngineErrors : public EachEngine {
 protected:
  void fail(std::string_view name, const VariablePtr& variable) {
    engine_->push({.name = name,
                   .body = [name] { throw std::runtime_error("broken " + std::string(name)); },
                   .accesses = {writes(variable)}});
  }
  /// The message of what `wait_for(variable)` throws.
  std::string reported_by_wait_for(const VariablePtr& variable) {
    return error_message<OperationError>([&] { engine_->wait_for(variable); });
  }
  std::string reported_by_wait_all() {
    return error_message<OperationError>([&] { engine_->wait_all(); });
  }

  const VariablePtr a_ = make_variable();
  const VariablePtr b_ = make_variable();
};

TEST_P(EngineErrors, EveryWaitOnAPoisonedVariableNamesTheOperationAndItsError) {
  fail("first", a_);
  for (int i = 0; i < 3; ++i) {
    const std::string message = reported_by_wait_for(a_);
    EXPECT_THAT(message, HasSubstr("'first'"));
    EXPECT_THAT(message, HasSubstr("broken first"));
  }
  EXPECT_NO_THROW(engine_->wait_all()) << "a wait has reported it";
}

TEST_P(EngineErrors, KeepTheirCauseAndRecogniseExhaustedMemory) {
  const auto error_of = [this](OperationBody body) {
    engine_->push({.name = "odd", .body = std::move(body), .accesses = {overwrites(a_)}});
    try {
      engine_->wait_for(a_);
    } catch (const OperationError& error) {
      return error;
    }
    throw std::logic_error("nothing was thrown");
  };

  const OperationError number = error_of([] { throw 7; });
  EXPECT_THROW(std::rethrow_exception(number.cause()), int);
  EXPECT_FALSE(number.is_out_of_memory());
  EXPECT_TRUE(error_of([] { throw std::bad_alloc(); }).is_out_of_memory());
  EXPECT_TRUE(error_of([] { throw OutOfMemoryError("none"); }).is_out_of_memory());
}

TEST_P(EngineErrors, AreDescribedAsTheProgramWantsThem) {
  EngineOptions options = GetParam().options();
  options.describe_error = [](const std::exception_ptr&) { return std::string("in short"); };
  engine_ = make_engine(options);
  fail("first", a_);
  EXPECT_EQ(reported_by_wait_for(a_), "operation 'first' failed: in short");
}

TEST_P(EngineErrors, OfDroppedOperationsAreNotReportedButTheirResultsAreSpoiled) {
  bool has_run = false;
  engine_->drop_queued();
  engine_->push({.name = "late", .body = [&] { has_run = true; }, .accesses = {overwrites(a_)}});
  EXPECT_NO_THROW(engine_->wait_all());
  EXPECT_THAT(reported_by_wait_for(a_), HasSubstr("dropped"));
  EXPECT_FALSE(has_run);
}

TEST_P(EngineErrors, BeyondTheLogsCapacityAreCountedInTheLastReport) {
  const auto fail_often = [this](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) fail("one", make_variable());
  };
  fail_often(FailureLog::kCapacity + 3);
  for (std::size_t i = 1; i < FailureLog::kCapacity; ++i) {
    ASSERT_THAT(reported_by_wait_all(), Not(HasSubstr("later operations")));
  }
  EXPECT_THAT(reported_by_wait_all(), HasSubstr("3 later operations"));
  EXPECT_NO_THROW(engine_->wait_all());

  for (std::size_t i = 0; i < FailureLog::kCapacity; ++i) {  // Those reported make room.
    fail("one", a_);
    static_cast<void>(reported_by_wait_for(a_));
    engine_->push({.name = "clear", .body = [] {}, .accesses = {overwrites(a_)}});
  }
  fail("last", b_);
  EXPECT_THAT(reported_by_wait_all(), Not(HasSubstr("later operations")));
}

TEST_P(EngineErrors, PoisonGoesWithTheVariableToAnotherEngine) {
  fail("first", a_);
  EXPECT_NO_THROW(engine_.reset()) << "an engine drops unreported errors when it is destroyed";
  engine_ = make_engine(GetParam().options());

  EXPECT_THAT(reported_by_wait_for(a_), HasSubstr("'first'"));
  engine_->push({.name = "skipped", .body = [] {}, .accesses = {reads(a_), writes(b_)}});
  EXPECT_THAT(reported_by_wait_for(b_), HasSubstr("'first'"));
}

/// Has no memory left for one push.
class FullLedger final : public CostLedger {
 public:
  std::uint64_t reserve(std::uint64_t sequence, std::uint64_t oldest) override {
    if (std::exchange(is_full_, false)) throw std::bad_alloc();
    return CostLedger::reserve(sequence, oldest);
  }

 private:
  bool is_full_ = true;
};

TEST_P(EngineErrors, PushThatRunsOutOfMemoryLeavesTheEngineUsable) {
  FullLedger ledger;
  EngineOptions options = GetParam().options();
  options.ledger = &ledger;
  options.observer = &ledger;
  const std::unique_ptr<Engine> engine = make_engine(options);
  const auto push = [&](int& runs) {
    engine->push({.name = "run", .body = [&runs] { ++runs; }, .accesses = {writes(a_)}});
  };

  int runs = 0;
  EXPECT_THROW(push(runs), std::bad_alloc);
  push(runs);
  engine->wait_for(a_);

  EXPECT_EQ(runs, 1);
}

RUNAHEAD_RUN_ON_EACH_ENGINE(EngineErrors);

// A body runs once and is destroyed once. A variable is destroyed with its last use, outside locks.

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
