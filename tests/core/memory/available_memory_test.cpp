#include "core/memory/available_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::memory {
namespace {

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

TEST_F(AvailableMemoryTest, IsNullIfNeitherIsKnown) {
  EXPECT_EQ(available(), std::nullopt);
  write_group("1000", "51000");
  EXPECT_EQ(available(), 50'000U);
}

TEST(AvailableMemory, IsKnownOnThisMachine) { EXPECT_GT(available_memory_bytes().value_or(0), 0U); }

}  // namespace
}  // namespace runahead::memory
