#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

#include "core/command/tree_monitor.h"

namespace runahead::command {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr double kAtOnce = kLeastSeenSeconds / 2;
constexpr double kForLong = kLeastSeenSeconds * 2;

/// The kernel's peak of a child that has ended.
std::uint64_t peak_of_a_child() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

TEST(TreePeak, OfACommandThatEndedAtOnceIsAtMostTheKernels) {
  const std::uint64_t kernels = peak_of_a_child();
  EXPECT_EQ(tree_peak({.bytes = kPage, .seen_seconds = kAtOnce}, kernels),
            (TreePeak{.bytes = kernels, .is_upper_bound = true}));
  EXPECT_EQ(tree_peak({}, kernels), (TreePeak{.bytes = kernels, .is_upper_bound = true}));
}

TEST(TreePeak, IsTheKernelsWhereThatCannotBeOfTheMonitor) {
  const std::uint64_t kernels = peak_of_a_child();
  EXPECT_EQ(tree_peak({.bytes = kPage, .seen_seconds = kForLong}, kernels - 1),
            TreePeak{.bytes = kernels});
}

TEST(TreePeak, IsThatOfTheSamplesOtherwise) {
  const std::uint64_t kernels = peak_of_a_child();
  EXPECT_EQ(tree_peak({.bytes = kPage, .seen_seconds = kForLong}, kernels),
            TreePeak{.bytes = kPage});
  EXPECT_EQ(tree_peak({.bytes = kernels + 1, .seen_seconds = kAtOnce}, kernels - 1),
            TreePeak{.bytes = kernels + 1});
}

}  // namespace
}  // namespace runahead::command
