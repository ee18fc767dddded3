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

TEST(TreePeak, IsThatOfTheSamplesUnlessItMustBeTheKernels) {
  const std::uint64_t kernels = peak_of_a_child();
  struct Row {
    SampledPeak sampled;
    std::uint64_t own_bytes;
    TreePeak peak;
  };
  const Row rows[] = {
      {{.bytes = kPage, .seen_seconds = kAtOnce}, kernels, {kernels, /*is_upper_bound=*/true}},
      {{}, kernels, {kernels, /*is_upper_bound=*/true}},
      {{.bytes = kPage, .seen_seconds = kForLong}, kernels - 1, {kernels}},
      {{.bytes = kPage, .seen_seconds = kForLong}, kernels, {kPage}},
      {{.bytes = kernels + 1, .seen_seconds = kAtOnce}, kernels - 1, {kernels + 1}},
  };
  for (const Row& row : rows) EXPECT_EQ(tree_peak(row.sampled, row.own_bytes), row.peak);
}

}  // namespace
}  // namespace runahead::command
