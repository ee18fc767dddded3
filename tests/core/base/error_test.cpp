#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace runahead {
namespace {

TEST(Error, CarriesTheExitCodeOfItsKind) {
  EXPECT_EQ(Error("x").exit_code(), ExitCode::kFailed);
  EXPECT_EQ(UsageError("x").exit_code(), ExitCode::kFailed);
  EXPECT_EQ(OutOfMemoryError("x").exit_code(), ExitCode::kFailed);
  EXPECT_EQ(ConfigError("x").exit_code(), ExitCode::kUsage);
  EXPECT_EQ(UnavailableError("x").exit_code(), ExitCode::kUnavailable);
  EXPECT_EQ(InterruptedError("x").exit_code(), ExitCode::kInterrupted);
}

TEST(Require, NamesTheConditionAndTheMessage) {
  const int workers = -1;
  try {
    RUNAHEAD_REQUIRE(workers >= 0, "got " + std::to_string(workers));
    FAIL() << "did not throw";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("workers >= 0"), testing::HasSubstr("got -1"),
                               testing::HasSubstr("error_test.cpp")));
  }
}

TEST(Require, EvaluatesTheMessageOnlyWhenItFails) {
  int evaluations = 0;
  const auto message = [&] {
    ++evaluations;
    return std::string("x");
  };
  RUNAHEAD_REQUIRE(true, message());
  EXPECT_EQ(evaluations, 0);
}

}  // namespace
}  // namespace runahead
