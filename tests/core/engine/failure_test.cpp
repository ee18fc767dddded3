#include "core/engine/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "core/engine/operation_error.h"

namespace runahead::engine::test {
namespace {

FailurePtr make_failure(std::uint64_t sequence) {
  auto failure = std::make_shared<Failure>();
  failure->sequence = sequence;
  return failure;
}

/// Adds a failure of the operation `sequence`, which is also its name.
FailurePtr add(FailureLog& log, std::uint64_t sequence) {
  return log.add(std::to_string(sequence), std::make_exception_ptr(std::runtime_error("broken")),
                 sequence);
}

std::string reported(FailureLog& log) {
  try {
    log.report_earliest();
  } catch (const OperationError& error) {
    return error.what();
  }
  return "";
}

TEST(Failure, TheEarlierIsTheOneOfTheSmallerSequence) {
  const FailurePtr first = make_failure(1);
  const FailurePtr second = make_failure(2);

  EXPECT_EQ(earlier_of(first, second), first);
  EXPECT_EQ(earlier_of(second, first), first);
  EXPECT_EQ(earlier_of(nullptr, second), second);
  EXPECT_EQ(earlier_of(second, nullptr), second);
}

TEST(FailureLog, ReturnsTheFailureAsItWasGiven) {
  FailureLog log;
  const FailurePtr failure = add(log, 7);

  EXPECT_EQ(failure->operation_name, "7");
  EXPECT_EQ(failure->sequence, 7U);
  EXPECT_THROW(std::rethrow_exception(failure->cause), std::runtime_error);
}

TEST(FailureLog, ReportsInTheOrderOfPushes) {
  FailureLog log;
  add(log, 2);
  add(log, 1);

  EXPECT_THAT(reported(log), ::testing::HasSubstr("'1'"));
  EXPECT_THAT(reported(log), ::testing::HasSubstr("'2'"));
  EXPECT_EQ(reported(log), "");
}

TEST(FailureLog, LeavesOutWhatAWaitReported) {
  FailureLog log;
  const FailurePtr failure = add(log, 1);
  EXPECT_THROW(report(*failure), OperationError);

  EXPECT_EQ(reported(log), "");
}

TEST(FailureLog, CountsWhatItCannotKeep) {
  FailureLog log;
  for (std::uint64_t i = 1; i <= FailureLog::kCapacity + 3; ++i) add(log, i);
  for (std::uint64_t i = 1; i < FailureLog::kCapacity; ++i) reported(log);

  EXPECT_THAT(reported(log), ::testing::HasSubstr("3 later operations"));
  EXPECT_EQ(reported(log), "");
}

TEST(FailureLog, MakesRoomOfWhatWasReported) {
  FailureLog log;
  for (std::uint64_t i = 1; i <= FailureLog::kCapacity; ++i) {
    EXPECT_THROW(report(*add(log, i)), OperationError);
  }
  add(log, FailureLog::kCapacity + 1);

  EXPECT_THAT(reported(log), ::testing::Not(::testing::HasSubstr("later operations")));
  EXPECT_EQ(reported(log), "");
}

}  // namespace
}  // namespace runahead::engine::test
