#include "core/memory/cgroup.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "support/text_file.h"

namespace runahead::memory {
namespace {

// Made-up /proc/self/cgroup (and that of another process), /sys/fs/cgroup, /proc/pressure/memory
// and /proc/meminfo.
TEST(CgroupMemory, IsThatOfTheTable) {
  for (const Json& row : read_json_file(RUNAHEAD_SOURCE_FOLDER "/tests/data/cgroups.json")) {
    SCOPED_TRACE(row["what"]);
    const ScratchFolder folder;
    for (const auto& [name, text] : row["files"].items()) {
      test::write_text(folder.path() / name, text.get<std::string>());
    }
    const CgroupMemory cgroup(folder.path() / (row["files"].contains("other") ? "other" : "self"),
                              folder.path() / "mount", folder.path() / "pressure",
                              folder.path() / "self");
    const auto expected = [&row](const char* key) {
      return row.contains(key) ? Reading(row[key].get<std::uint64_t>()) : std::nullopt;
    };

    EXPECT_EQ(cgroup.current_bytes(), expected("current"));
    EXPECT_EQ(cgroup.limit_bytes(), expected("limit"));
    EXPECT_EQ(cgroup.available_bytes(), expected("available"));
    EXPECT_EQ(cgroup.peak_bytes(), expected("peak"));
    EXPECT_EQ(cgroup.stall_microseconds(), expected("stall"));
    if (!row["files"].contains("meminfo")) continue;
    EXPECT_EQ(available_memory_bytes(folder.path() / "meminfo", cgroup),
              expected("machine_available"));
  }
}

}  // namespace
}  // namespace runahead::memory
