#include "core/sweep/cell_cgroup.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "support/text_file.h"

namespace runahead::sweep {
namespace {

namespace fs = std::filesystem;

/// A made-up /proc/self/cgroup and /sys/fs/cgroup.
class CellCgroupTest : public ::testing::Test {
 protected:
  void write(std::string_view name, std::string_view text) {
    runahead::test::write_text(folder_.path() / name, text);
  }

  std::unique_ptr<CellCgroup> make() {
    return CellCgroup::make(4096, folder_.path() / "self", folder_.path() / "mount");
  }

  ScratchFolder folder_;
};

TEST_F(CellCgroupTest, IsMadeWhereTheKernelTakesIt) {
  for (const Json& row : read_json_file(RUNAHEAD_SOURCE_FOLDER "/tests/data/cell_cgroups.json")) {
    SCOPED_TRACE(row["what"]);
    fs::remove_all(folder_.path() / "mount");
    fs::remove(folder_.path() / "self");
    for (const auto& [name, text] : row["files"].items()) write(name, text.get<std::string>());
    const auto cgroup = make();
    ASSERT_EQ(cgroup == nullptr, row["parent"].is_null());
    if (cgroup == nullptr) continue;
    EXPECT_EQ(cgroup->folder().parent_path(), folder_.path() / row["parent"].get<std::string>());
    for (const auto& [name, value] : row["values"].items()) {
      EXPECT_EQ(runahead::test::read_text(cgroup->folder() / name), value.get<std::string>());
    }
  }
}

TEST_F(CellCgroupTest, ReadsKillsAndPeakOfBothVersions) {
  write("self", "0::/job\n");
  write("mount/job/cgroup.subtree_control", "memory\n");
  const auto version2 = make();
  ASSERT_NE(version2, nullptr);
  EXPECT_FALSE(version2->has_killed());
  EXPECT_EQ(version2->peak_bytes(), std::nullopt) << "older kernels do not keep it";
  runahead::test::write_text(version2->folder() / "memory.events", "low 0\noom 3\noom_kill 0\n");
  EXPECT_FALSE(version2->has_killed());
  runahead::test::write_text(version2->folder() / "memory.events", "low 0\noom 3\noom_kill 2\n");
  EXPECT_EQ(version2->peak_bytes(), 4096U) << "the limit, which was reached if there was a kill";
  runahead::test::write_text(version2->folder() / "memory.peak", "4000\n");
  EXPECT_TRUE(version2->has_killed());
  EXPECT_EQ(version2->peak_bytes(), 4000U);

  write("self", "4:memory:/job\n");
  write("mount/memory/job/memory.limit_in_bytes", "1\n");
  const auto version1 = make();
  ASSERT_NE(version1, nullptr);
  runahead::test::write_text(version1->folder() / "memory.oom_control",
                             "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  runahead::test::write_text(version1->folder() / "memory.max_usage_in_bytes", "4096\n");
  EXPECT_TRUE(version1->has_killed());
  EXPECT_EQ(version1->peak_bytes(), 4096U);
}

TEST_F(CellCgroupTest, KillsItsProcesses) {
  write("self", "0::/job\n");
  write("mount/job/cgroup.subtree_control", "memory\n");
  const auto cgroup = make();
  ASSERT_NE(cgroup, nullptr);
  const pid_t member = ::fork();
  for (; member == 0;) ::pause();
  runahead::test::write_text(cgroup->folder() / "cgroup.procs",
                             "0\n" + std::to_string(member) + "\n");
  cgroup->kill_all();
  int status = 0;

  EXPECT_EQ(::waitpid(member, &status, 0), member);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(CellCgroupTest, IsRemovedWhenItsProcessesHaveBeenKilled) {
  auto cgroup = CellCgroup::make(std::uint64_t{1} << 30);
  if (cgroup == nullptr) GTEST_SKIP() << "this process may make no cgroup here";
  const fs::path folder = cgroup->folder();
  EXPECT_NE(CellCgroup::make(std::uint64_t{1} << 30)->folder(), folder);
  int joined[2];
  ASSERT_EQ(::pipe(joined), 0);
  const pid_t member = ::fork();
  if (member == 0) {
    const char has_joined = cgroup->join() ? 'y' : 'n';
    if (::write(joined[1], &has_joined, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char has_joined = 0;
  EXPECT_EQ(::read(joined[0], &has_joined, 1), 1);
  EXPECT_EQ(has_joined, 'y');
  cgroup->kill_all();
  cgroup.reset();

  EXPECT_FALSE(fs::exists(folder));
  ::waitpid(member, nullptr, 0);
  ::close(joined[0]);
  ::close(joined[1]);
}

}  // namespace
}  // namespace runahead::sweep
