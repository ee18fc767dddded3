#include "core/memory/process_tree.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "core/memory/family.h"

namespace runahead::memory {
namespace {

TEST(ProcessTree, HasTheDescendantsAfterTheirParents) {
  const test::Family family;

  const std::vector<pid_t> processes = tree_processes(family.child());
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes.front(), family.child());
  EXPECT_EQ(tree_processes(processes.back()), std::vector{processes.back()});
}

TEST(ProcessTree, OfAProcessThatIsGoneIsThatProcess) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);

  EXPECT_EQ(tree_processes(child), std::vector{child});
}

}  // namespace
}  // namespace runahead::memory
