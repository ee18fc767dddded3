#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/memory/cgroup.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::memory {
namespace {

/// A made-up /proc/self/cgroup and /sys/fs/cgroup.
class CgroupMemoryTest : public testing::Test {
 protected:
  void write(std::string_view name, std::string_view text) {
    runahead::test::write_text(folder_.path() / name, text);
  }
  CgroupMemory cgroup() {
    return CgroupMemory(folder_.path() / "self", folder_.path() / "mount",
                        folder_.path() / "pressure");
  }

  runahead::test::TemporaryFolder folder_{};
};

TEST_F(CgroupMemoryTest, IsNullWhereThereIsNone) {
  EXPECT_EQ(cgroup().current_bytes(), std::nullopt);
  EXPECT_EQ(cgroup().limit_bytes(), std::nullopt);
  EXPECT_EQ(cgroup().available_bytes(), std::nullopt);
  EXPECT_EQ(cgroup().peak_bytes(), std::nullopt);
  EXPECT_EQ(cgroup().stall_microseconds(), std::nullopt);

  write("self", "garbage\n:\n0::/group\n");
  EXPECT_EQ(cgroup().current_bytes(), std::nullopt);
}

TEST_F(CgroupMemoryTest, ReadsVersion2) {
  write("self", "0::/job/cell\n");
  write("mount/job/cell/memory.current", "700\n");
  write("mount/job/cell/memory.max", "1000\n");
  write("mount/job/cell/memory.stat", "anon 1\ninactive_file 200\nactive_file 50\n");

  EXPECT_EQ(cgroup().current_bytes(), 700U);
  EXPECT_EQ(cgroup().limit_bytes(), 1000U);
  EXPECT_EQ(cgroup().available_bytes(), 500U);
  EXPECT_EQ(cgroup().peak_bytes(), std::nullopt) << "older kernels do not keep it";
  write("mount/job/cell/memory.peak", "900\n");
  EXPECT_EQ(cgroup().peak_bytes(), 900U);
}

TEST_F(CgroupMemoryTest, ReadsTheStallsOfTheGroupElseOfTheMachine) {
  write("self", "0::/job\n");
  write("mount/job/memory.current", "700\n");
  write("pressure", "some avg10=0.00 avg60=1.25 avg300=0.00 total=9754544\nfull total=5\n");
  EXPECT_EQ(cgroup().stall_microseconds(), 9754544U);
  write("mount/job/memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=77\n");
  EXPECT_EQ(cgroup().stall_microseconds(), 77U);
  write("mount/job/memory.pressure", "");
  EXPECT_EQ(cgroup().stall_microseconds(), 9754544U);
}

TEST_F(CgroupMemoryTest, ReadsVersion1BesideAnUnusedVersion2) {
  write("self", "5:cpu,cpuacct:/a\n4:memory:/job\n0::/\n");
  write("mount/memory/job/memory.usage_in_bytes", "300\n");
  write("mount/memory/job/memory.limit_in_bytes", "400\n");
  write("mount/memory/job/memory.max_usage_in_bytes", "350\n");
  write("mount/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n");

  EXPECT_EQ(cgroup().current_bytes(), 300U);
  EXPECT_EQ(cgroup().available_bytes(), 200U);
  EXPECT_EQ(cgroup().peak_bytes(), 350U);
}

TEST_F(CgroupMemoryTest, TakesTheTightestOfItsAncestors) {
  write("self", "0::/job/cell\n");
  write("mount/job/cell/memory.current", "100\n");
  write("mount/job/cell/memory.max", "max\n");
  write("mount/job/memory.current", "900\n");
  write("mount/job/memory.max", "1000\n");

  EXPECT_EQ(cgroup().current_bytes(), 100U);
  EXPECT_EQ(cgroup().limit_bytes(), 1000U);
  EXPECT_EQ(cgroup().available_bytes(), 100U);
}

TEST_F(CgroupMemoryTest, NoLimitIsNull) {
  write("self", "4:memory:/\n");
  write("mount/memory/memory.usage_in_bytes", "300\n");
  write("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");

  EXPECT_EQ(cgroup().current_bytes(), 300U);
  EXPECT_EQ(cgroup().limit_bytes(), std::nullopt);
  EXPECT_EQ(cgroup().available_bytes(), std::nullopt);
}

TEST_F(CgroupMemoryTest, FindsTheMountOfAContainerThatShowsOnlyItsEnd) {
  write("self", "0::/host/path/of/container\n");
  write("mount/memory.current", "10\n");
  write("mount/memory.max", "50\n");

  EXPECT_EQ(cgroup().current_bytes(), 10U);
  EXPECT_EQ(cgroup().available_bytes(), 40U);
}

TEST_F(CgroupMemoryTest, NoMoreIsAvailableThanTheLimitAndNoLessThanNothing) {
  write("self", "0::/\n");
  write("mount/memory.current", "100\n");
  write("mount/memory.max", "500\n");
  write("mount/memory.stat", "inactive_file 300\n");
  EXPECT_EQ(cgroup().available_bytes(), 500U) << "more can be dropped than is used";
  write("mount/memory.max", "50\n");
  write("mount/memory.stat", "");
  EXPECT_EQ(cgroup().available_bytes(), 0U);
}

class AvailableMemoryTest : public testing::Test {
 protected:
  void write_machine(std::string_view available_kib) {
    runahead::test::write_text(
        folder_.path() / "meminfo",
        "MemTotal: 999999 kB\nMemAvailable:  " + std::string(available_kib) + " kB\n");
  }
  void write_group(std::string_view current, std::string_view limit) {
    runahead::test::write_text(folder_.path() / "self", "0::/\n");
    runahead::test::write_text(folder_.path() / "mount/memory.current", current);
    runahead::test::write_text(folder_.path() / "mount/memory.max", limit);
  }
  Reading available() {
    return available_memory_bytes(folder_.path() / "meminfo",
                                  CgroupMemory(folder_.path() / "self", folder_.path() / "mount"));
  }

  runahead::test::TemporaryFolder folder_{};
};

TEST_F(AvailableMemoryTest, IsTheLesserOfMachineAndGroup) {
  write_machine("100");
  EXPECT_EQ(available(), 102'400U);
  write_group("1000", "51000");
  EXPECT_EQ(available(), 50'000U);
  write_machine("10");
  EXPECT_EQ(available(), 10'240U);
}

}  // namespace
}  // namespace runahead::memory
