#include "core/sweep/disk_room.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "support/temporary_folder.h"

namespace runahead::sweep {
namespace {

TEST(DiskRoom, IsThereWhereSoMuchIsFree) {
  const runahead::test::TemporaryFolder folder;

  EXPECT_TRUE(has_disk_room(folder.path(), 1));
  EXPECT_FALSE(has_disk_room(folder.path(), std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(DiskRoom, IsNowhereWhereNothingCanBeWritten) {
  EXPECT_FALSE(has_disk_room("/nowhere", 1));
  EXPECT_FALSE(has_disk_room("/proc", 0));
}

}  // namespace
}  // namespace runahead::sweep
