#include "core/record/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::record {
namespace {

TEST(Environment, TellsWhatNeedsNoTorch) {
  const Environment environment = collect_environment();

  EXPECT_THAT(environment.runahead, ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(environment.compiler,
              ::testing::AnyOf(::testing::StartsWith("gcc "), ::testing::StartsWith("clang ")));
  EXPECT_GE(environment.cores.value_or(1), 1u);
  EXPECT_GT(environment.memory_bytes.value_or(0), std::uint64_t{1} << 20);
  if (environment.git) {
    EXPECT_THAT(*environment.git, ::testing::MatchesRegex("[0-9a-f]{7,}(-dirty)?"));
  }
  EXPECT_FALSE(environment.torch.has_value());
  EXPECT_FALSE(environment.gpu.has_value());
}

}  // namespace
}  // namespace runahead::record
