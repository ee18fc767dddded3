#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "core/engine/engine_kinds.h"

// The error rule: a failed operation poisons what it writes; what reads or changes that is skipped
// and passes the poison on; waits on it throw until it is overwritten whole; wait_all hides
// nothing.
namespace runahead::engine::test {
namespace {

class EngineErrors : public ::testing::TestWithParam<EngineKind> {
 protected:
  void fail(std::string_view name, AccessList accesses) {
    engine_->push({.name = name,
                   .body = [name] { throw std::runtime_error("broken " + std::string(name)); },
                   .accesses = std::move(accesses)});
  }
  void run(AccessList accesses) {
    engine_->push({.name = "run", .body = [this] { ++runs_; }, .accesses = std::move(accesses)});
  }
  /// The name of the operation that a wait for `variable` reports; empty if it throws nothing.
  std::string reported_by_wait_for(const VariablePtr& variable) {
    try {
      engine_->wait_for(variable);
    } catch (const OperationError& error) {
      return error.operation_name();
    }
    return "";
  }
  std::string reported_by_wait_all() {
    try {
      engine_->wait_all();
    } catch (const OperationError& error) {
      return error.operation_name();
    }
    return "";
  }

  int runs_ = 0;
  const VariablePtr a_ = make_variable();
  const VariablePtr b_ = make_variable();
  const VariablePtr c_ = make_variable();
  std::unique_ptr<Engine> engine_ = make_engine(GetParam().options());
};

TEST_P(EngineErrors, EveryWaitOnAPoisonedVariableThrows) {
  fail("first", {writes(a_)});

  for (int i = 0; i < 3; ++i) EXPECT_EQ(reported_by_wait_for(a_), "first");
}

TEST_P(EngineErrors, TheErrorNamesTheOperationAndKeepsTheException) {
  fail("first", {writes(a_)});

  try {
    engine_->wait_for(a_);
    FAIL() << "nothing was thrown";
  } catch (const OperationError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("first"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("broken first"));
    EXPECT_FALSE(error.is_out_of_memory());
    EXPECT_THROW(std::rethrow_exception(error.cause()), std::runtime_error);
  }
}

TEST_P(EngineErrors, ReadersAndChangersAreSkippedAndPassThePoisonOn) {
  fail("first", {overwrites(a_)});
  run({reads(a_), overwrites(b_)});
  run({writes(b_)});
  run({reads(b_), writes(c_)});

  EXPECT_EQ(reported_by_wait_for(c_), "first");
  EXPECT_EQ(reported_by_wait_for(b_), "first");
  EXPECT_EQ(runs_, 0);
}

TEST_P(EngineErrors, WhatIsReadIsNotPoisoned) {
  fail("first", {reads(a_), writes(b_)});
  run({writes(a_)});

  EXPECT_EQ(reported_by_wait_for(a_), "");
  EXPECT_EQ(runs_, 1);
}

TEST_P(EngineErrors, OverwritingWholeClearsPoison) {
  fail("first", {writes(a_)});
  EXPECT_EQ(reported_by_wait_for(a_), "first");
  run({overwrites(a_)});
  run({reads(a_), writes(b_)});

  EXPECT_EQ(reported_by_wait_for(a_), "");
  EXPECT_EQ(reported_by_wait_for(b_), "");
  EXPECT_EQ(reported_by_wait_all(), "");
  EXPECT_EQ(runs_, 2);
}

TEST_P(EngineErrors, WhatOnlyTakesItsTurnPoisonsNothing) {
  fail("first", {orders(a_), writes(b_)});
  run({orders(a_)});
  run({reads(a_), overwrites(c_)});
  run({writes(a_)});

  EXPECT_EQ(reported_by_wait_for(a_), "");
  EXPECT_EQ(reported_by_wait_for(c_), "");
  EXPECT_EQ(reported_by_wait_for(b_), "first");
  EXPECT_EQ(reported_by_wait_all(), "");
  EXPECT_EQ(runs_, 3);
}

TEST_P(EngineErrors, WhatOnlyTakesItsTurnRunsThoughTheVariableIsPoisonedAndLeavesItSo) {
  fail("first", {writes(a_)});
  run({orders(a_), overwrites(b_)});

  EXPECT_EQ(reported_by_wait_for(b_), "");
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(reported_by_wait_for(a_), "first");
}

TEST_P(EngineErrors, OverwritingAndReadingDoesNotClearPoison) {
  fail("first", {writes(a_)});
  run({overwrites(a_), reads(a_)});

  EXPECT_EQ(reported_by_wait_for(a_), "first");
  EXPECT_EQ(runs_, 0);
}

TEST_P(EngineErrors, AFailedOverwritePoisonsAnew) {
  fail("first", {writes(a_)});
  fail("second", {overwrites(a_)});

  EXPECT_EQ(reported_by_wait_for(a_), "second");
  EXPECT_EQ(reported_by_wait_all(), "first");
  EXPECT_EQ(reported_by_wait_all(), "");
}

TEST_P(EngineErrors, OfTwoPoisonsTheEarlierIsPassedOn) {
  fail("first", {writes(a_)});
  fail("second", {writes(b_)});
  run({reads(b_), reads(a_), writes(c_)});

  EXPECT_EQ(reported_by_wait_for(c_), "first");
  EXPECT_EQ(reported_by_wait_for(b_), "second");
}

TEST_P(EngineErrors, AnErrorThatIsOverwrittenUnseenIsStillReportedByWaitAll) {
  fail("first", {writes(a_)});
  run({overwrites(a_)});

  EXPECT_EQ(reported_by_wait_for(a_), "");
  EXPECT_EQ(reported_by_wait_all(), "first");
  EXPECT_EQ(reported_by_wait_all(), "");
}

TEST_P(EngineErrors, WaitAllReportsEachErrorOnceTheEarliestFirst) {
  fail("first", {writes(a_)});
  fail("second", {writes(b_)});
  fail("third", {});
  run({reads(a_), writes(c_)});

  EXPECT_EQ(reported_by_wait_all(), "first");
  EXPECT_EQ(reported_by_wait_all(), "second");
  EXPECT_EQ(reported_by_wait_all(), "third");
  EXPECT_EQ(reported_by_wait_all(), "");
}

TEST_P(EngineErrors, WaitAllDoesNotRepeatWhatAWaitForReported) {
  fail("first", {writes(a_)});
  fail("second", {writes(b_)});

  EXPECT_EQ(reported_by_wait_for(a_), "first");
  EXPECT_EQ(reported_by_wait_all(), "second");
  EXPECT_EQ(reported_by_wait_all(), "");
  EXPECT_EQ(reported_by_wait_for(a_), "first");
}

TEST_P(EngineErrors, UnrelatedVariablesStayUsable) {
  fail("first", {writes(a_)});
  run({writes(b_)});

  EXPECT_EQ(reported_by_wait_for(b_), "");
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(reported_by_wait_all(), "first");
}

TEST_P(EngineErrors, PoisonGoesWithTheVariableToAnotherEngine) {
  fail("first", {writes(a_)});
  EXPECT_EQ(reported_by_wait_all(), "first");
  engine_ = make_engine(GetParam().options());

  EXPECT_EQ(reported_by_wait_for(a_), "first");
  run({reads(a_), writes(b_)});
  EXPECT_EQ(reported_by_wait_for(b_), "first");
}

TEST_P(EngineErrors, ExceptionsThatAreNoStdExceptionAreReported) {
  engine_->push({.name = "odd", .body = [] { throw 7; }, .accesses = {writes(a_)}});

  try {
    engine_->wait_for(a_);
    FAIL() << "nothing was thrown";
  } catch (const OperationError& error) {
    EXPECT_THROW(std::rethrow_exception(error.cause()), int);
  }
}

TEST_P(EngineErrors, RecognisesExhaustedMemory) {
  engine_->push({.name = "a", .body = [] { throw std::bad_alloc(); }, .accesses = {writes(a_)}});
  engine_->push(
      {.name = "b", .body = [] { throw OutOfMemoryError("none"); }, .accesses = {writes(b_)}});

  for (const VariablePtr& variable : {a_, b_}) {
    try {
      engine_->wait_for(variable);
      FAIL() << "nothing was thrown";
    } catch (const OperationError& error) {
      EXPECT_TRUE(error.is_out_of_memory());
    }
  }
}

TEST_P(EngineErrors, DestructionDropsUnreportedErrors) {
  fail("first", {writes(a_)});

  EXPECT_NO_THROW(engine_.reset());
}

/// An exception whose destructor calls the engine, as those of a language binding might.
struct PushingError {
  explicit PushingError(Engine& engine_to_call) : engine(&engine_to_call) {}
  PushingError(const PushingError&) = default;
  PushingError& operator=(const PushingError&) = default;
  ~PushingError() {
    engine->push({.name = "from a destructor", .body = [] {}});
  }
  Engine* engine;
};

TEST_P(EngineErrors, ErrorsAreDroppedOutsideEveryLock) {
  engine_->push({.name = "first",
                 .body = [this] { throw PushingError(*engine_); },
                 .accesses = {writes(a_)}});
  EXPECT_EQ(reported_by_wait_all(), "first");
  run({overwrites(a_)});

  EXPECT_EQ(reported_by_wait_all(), "");
  EXPECT_EQ(runs_, 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineErrors, ::testing::ValuesIn(kEngineKinds),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace runahead::engine::test
