#include <gmock/gmock.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/engine/cost_ledger.h"
#include "core/engine/engine_kinds.h"
#include "core/engine/failure.h"
#include "support/error_message.h"

// What errors carry, and when they are reported. Which operations an error skips and which
// variables it poisons is in engine_model_test.cpp.
namespace runahead::engine::test {
namespace {

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

}  // namespace
}  // namespace runahead::engine::test
