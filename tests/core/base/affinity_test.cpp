#include "core/base/affinity.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/base/error.h"

namespace runahead {
namespace {

TEST(Affinity, PinsTheCallingThreadOnly) {
  const std::vector<int> before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  std::vector<int> pinned;

  std::thread([&] {
    pin_calling_thread(before.back());
    pinned = allowed_cpus();
  }).join();

  EXPECT_EQ(pinned, std::vector{before.back()});
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Affinity, CanBeWidenedAgain) {
  const std::vector<int> all = allowed_cpus();
  std::vector<int> widened;

  std::thread([&] {
    pin_calling_thread(all.front());
    restrict_calling_thread(all);
    widened = allowed_cpus();
  }).join();

  EXPECT_EQ(widened, all);
}

TEST(Affinity, RefusesCpusThatAreNotThere) {
  EXPECT_THROW(pin_calling_thread(32'000), UnavailableError);
  EXPECT_THROW(pin_calling_thread(1 << 20), UnavailableError);
  EXPECT_THROW(restrict_calling_thread({}), UnavailableError);
  EXPECT_THROW(pin_calling_thread(-1), UsageError);
}

}  // namespace
}  // namespace runahead
