#include "core/record/environment.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "core/record/command_line.h"

namespace runahead::record {
namespace {

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

}  // namespace
}  // namespace runahead::record
