#include "core/memory/process_tree.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/memory/family.h"
#include "core/memory/process_probe.h"

namespace runahead::memory {
namespace {

TEST(ProcessTree, CountsTheDescendantsToo) {
  const test::Family family;

  const std::uint64_t alone = ProcessProbe(family.child()).rss_bytes().value();
  EXPECT_GE(tree_rss_bytes(family.child()).value(), alone + test::Family::kBlockBytes * 9 / 10);
}

TEST(ProcessTree, OfAProcessThatIsGoneIsUnknown) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);

  EXPECT_EQ(tree_rss_bytes(child), std::nullopt);
  EXPECT_EQ(tree_processes(child), std::vector<pid_t>{child});
}

}  // namespace
}  // namespace runahead::memory
