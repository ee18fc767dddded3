#include "core/record/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

#include "core/record/command_line.h"

namespace runahead::record {
namespace {

TEST(Environment, ReportsWhatNeedsNoTorch) {
  const Environment environment = collect_environment();

  EXPECT_THAT(environment.runahead, ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(environment.compiler,
              ::testing::AnyOf(::testing::StartsWith("gcc "), ::testing::StartsWith("clang ")));
  EXPECT_FALSE(environment.host.value_or("").empty());
  EXPECT_GE(environment.cores.value_or(1), 1u);
  EXPECT_GT(environment.memory_bytes.value_or(0), std::uint64_t{1} << 20);
  if (environment.git) {
    EXPECT_THAT(*environment.git, ::testing::MatchesRegex("[0-9a-f]{7,}(-dirty)?"));
  }
  EXPECT_FALSE(environment.torch.has_value());
  EXPECT_FALSE(environment.gpu.has_value());
}

TEST(Environment, CountsTheMachinesCoresNotThoseOfThisProcess) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const auto cores = collect_environment().cores;
  std::size_t first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  const auto cores_on_one = collect_environment().cores;
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);

  EXPECT_EQ(cores_on_one, cores);
}

TEST(CommandLine, IsTheFirstThatWasAnnounced) {
  EXPECT_THAT(command_line(), ::testing::StartsWith("record_test"));

  const char* const sweep[] = {"/bin/runahead", "sweep", "a b.json", "--set", "/name=it's"};
  announce_command_line("runahead", 5, sweep);
  announce_command_line("runahead", 2, sweep);
  EXPECT_EQ(command_line(), "runahead sweep 'a b.json' --set '/name=it'\\''s'");
  EXPECT_EQ(::unsetenv("RUNAHEAD_COMMAND"), 0);
}

}  // namespace
}  // namespace runahead::record
