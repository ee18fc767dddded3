#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "core/sweep/bounded_log.h"
#include "core/sweep/cell_cgroup.h"
#include "core/sweep/cpu_slots.h"
#include "core/sweep/disk_room.h"
#include "core/sweep/estimate.h"
#include "core/sweep/summary.h"
#include "support/text_file.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

/// Three cells run twice; of the first repeat two have ended, one of them badly.
EarlierRuns some_runs(const Plan& plan) {
  EarlierRuns earlier;
  earlier.runs.assign(plan.cells.size(), {std::nullopt, std::nullopt});
  earlier.runs[0][0] = RunFigures{.status = record::Status::kOk, .wall_seconds = 4.0};
  earlier.runs[1][0] = RunFigures{.status = record::Status::kFailed, .wall_seconds = 1.0};
  earlier.runs[2][0] = RunFigures{.status = record::Status::kInterrupted, .wall_seconds = 2.0};
  return earlier;
}

TEST(Estimate, TakesTheRunsThatEndedOkForMeasureElseWhatThereIs) {
  const Plan plan = test::plan_of_seeds(3, 2);
  EarlierRuns earlier = some_runs(plan);
  const auto found = [&](const std::set<record::Status>& retry, int jobs) {
    return estimate(config::SweepConfig{}, plan, earlier, retry, jobs);
  };

  EXPECT_EQ(found({}, 2).runs, 4U);
  EXPECT_EQ(found({}, 2).seconds, 2 * 4.0);
  EXPECT_EQ(found({record::Status::kFailed}, 1).runs, 5U);
  earlier.runs[0][0] = std::nullopt;
  EXPECT_EQ(found({}, 1).seconds, 5 * 1.5);
}

/// Of each axis, the total times behind the figures of each value. Cell `i` takes `i` seconds; a
/// cell with an 'x' in `ends` fails.
std::string times_by_axis(const std::string& kind, const std::string& ends) {
  const Json joined = {{"/batches", {7, 8, 9}}, {"/model/layers", {{1}, {2}, {3}}}};
  const Json cells = {{{"/seed", 0}, {"/batches", 7}},
                      {{"/seed", 1}, {"/batches", 8}},
                      {{"/seed", 0}, {"/batches", 9}}};
  Json sweep = {{"base", {{"experiment", "train"}}}};
  if (kind == "cells") sweep["cells"] = cells;
  if (kind != "cells") sweep["axes"] = {{"/seed", {0, 1}}};
  if (kind == "axes") sweep["axes"]["/batches"] = {7, 8, 9};
  if (kind == "zip") sweep["zip"] = {joined};
  const Plan plan = make_plan(config::read_sweep(sweep, "test", "."), "test");
  SweepResult result;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    const auto status = ends[cell] == 'x' ? record::Status::kFailed : record::Status::kOk;
    result.runs.push_back({RunFigures{status, {std::nullopt, static_cast<double>(cell)}}});
  }
  std::string text;
  for (const AxisSummary& axis : summarise_axes(plan, result)) {
    for (const CellSummary& value : axis.values) {
      const std::optional<Spread>& times = value.figures[1];
      text += dump_json(value.axes.begin().value()) + " " + value.status + ": " +
              (times ? dump_json({times->min, times->max, times->count}) : "-") + "\n";
    }
  }
  return text;
}

TEST(SummaryOfAxes, ComparesValuesOverTheSameCells) {
  EXPECT_EQ(times_by_axis("axes", "...x.."),
            "0 ok: [1.0,2.0,2]\n1 2 ok, 1 failed: [4.0,5.0,2]\n"
            "7 1 ok, 1 failed: [0.0,0.0,1]\n8 ok: [1.0,1.0,1]\n9 ok: [2.0,2.0,1]\n");
  EXPECT_EQ(times_by_axis("axes", "x..xx."),
            "0 2 ok, 1 failed: [2.0,2.0,1]\n1 2 failed, 1 ok: [5.0,5.0,1]\n"
            "7 failed: -\n8 1 ok, 1 failed: [1.0,1.0,1]\n9 ok: [2.0,2.0,1]\n");
  EXPECT_EQ(times_by_axis("axes", "x.x.x."),
            "0 2 failed, 1 ok: -\n1 2 ok, 1 failed: -\n"
            "7 1 failed, 1 ok: -\n8 1 ok, 1 failed: -\n9 1 failed, 1 ok: -\n");
  EXPECT_EQ(times_by_axis("zip", "...x.."),
            "0 ok: [1.0,2.0,2]\n1 2 ok, 1 failed: [4.0,5.0,2]\n"
            "7 1 ok, 1 failed: [0.0,0.0,1]\n8 ok: [1.0,1.0,1]\n9 ok: [2.0,2.0,1]\n"
            "[1] 1 ok, 1 failed: [0.0,0.0,1]\n[2] ok: [1.0,1.0,1]\n[3] ok: [2.0,2.0,1]\n");
  EXPECT_EQ(times_by_axis("cells", "..x"),
            "0 1 ok, 1 failed: [0.0,0.0,1]\n1 ok: [1.0,1.0,1]\n"
            "7 ok: [0.0,0.0,1]\n8 ok: [1.0,1.0,1]\n9 failed: -\n");
}

/// Cells that have run for so long.
RunnerActivity running_for(const std::vector<std::optional<double>>& seconds) {
  RunnerActivity activity;
  for (const auto& cell : seconds) activity.running.push_back({.seconds = cell});
  return activity;
}

TEST(SecondsLeft, AreThoseOfTheTable) {
  RunnerActivity on_a_cluster = running_for({std::nullopt, std::nullopt});
  on_a_cluster.waiting = 8;
  RunnerActivity waiting;
  waiting.waiting = 8;
  struct Row {
    const char* what;
    std::size_t runs;
    int jobs;
    RunnerActivity activity;
    std::optional<double> seconds;  ///< Where a run usually takes 10 s.
  };
  const std::vector<Row> rows{
      {"nothing has begun", 4, 1, running_for({}), 40.0},
      {"what has begun counts", 4, 1, running_for({6.0}), 34.0},
      {"runs at once share it", 4, 2, running_for({6.0, 2.0}), 16.0},
      {"no less than the last run takes", 2, 2, running_for({9.0, 1.0}), 9.0},
      {"no less than the only run takes", 1, 8, running_for({4.0}), 6.0},
      {"longer than usual", 1, 1, running_for({15.0}), std::nullopt},
      {"the one after it", 2, 1, running_for({15.0}), 10.0},
      {"a cluster runs as many as now", 10, 10, on_a_cluster, 45.0},
      {"a cluster runs none now", 10, 10, waiting, std::nullopt},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(seconds_left(row.runs, row.jobs, 10.0, row.activity), row.seconds) << row.what;
  }
}

class BoundedLogTest : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "log.txt";
};

TEST_F(BoundedLogTest, KeepsBeginningAndEndAndCountsWhatItLeftOut) {
  const auto kept = [this](int letters) {
    BoundedLog log(path_, 4, 3);
    for (int i = 0; i < letters; ++i) {
      log.append(std::string(1, static_cast<char>('a' + i)));
      if (i == 1) {
        EXPECT_EQ(runahead::test::read_text(path_), "ab") << "the beginning is at once";
      }
    }
    log.close();
    log.append("late");
    return runahead::test::read_text(path_);
  };
  EXPECT_EQ(kept(0), "");
  EXPECT_EQ(kept(7), "abcdefg");
  EXPECT_EQ(kept(8), "abcd\n[1 bytes left out]\nfgh");
  EXPECT_EQ(kept(26), "abcd\n[19 bytes left out]\nxyz");
}

TEST_F(BoundedLogTest, FindsTheLastLineThatIsNotBlank) {
  BoundedLog log(path_, 4, 4);
  EXPECT_EQ(log.last_line(), "");
  log.append("  above\n  below\n");
  EXPECT_EQ(log.last_line(), "  below");
  log.append("first\nsec");
  log.append("ond  \n \n");

  EXPECT_EQ(log.last_line(), "second");
  log.append(std::string(600, 'x') + "the end\n");
  EXPECT_EQ(log.last_line(), std::string(493, 'x') + "the end");
  std::string letters;
  for (int letter = 0; letter < 300; ++letter) letters += "é";
  log.append(letters + ".\n");
  EXPECT_EQ(log.last_line(), letters.substr(0, 498) + ".");
  log.append("an error\n    an excerpt\n\t^\n");
  EXPECT_EQ(log.last_line(), "an error");
  log.append("terminate called after throwing an instance of 'x'\n  what():  its text\n");
  EXPECT_EQ(log.last_line(), "  what():  its text");
}

using ::testing::ElementsAre;

TEST(CpuSlots, AreDisjointAndAsEqualAsCanBeUnlessThereAreFewerCpus) {
  const auto slots_of = [](int count, const std::vector<int>& cpus) {
    const CpuSlots slots(count, cpus);
    std::vector<std::vector<int>> all;
    for (int slot = 0; slot <= count; ++slot) all.push_back(slots.cpus_of(slot));
    return all;
  };
  const std::vector<int> eight{0, 4, 1, 5, 2, 6, 3, 7};
  const std::vector<int> two{0, 1};
  // The last one is beyond the slots that were asked for.
  const std::vector<int> sorted = slots_of(3, eight).back();
  EXPECT_THAT(slots_of(3, eight),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 2, 5), ElementsAre(3, 6, 7), sorted));
  EXPECT_EQ(sorted.size(), 8U);
  EXPECT_THAT(slots_of(2, two), ElementsAre(ElementsAre(0), ElementsAre(1), two));
  EXPECT_THAT(slots_of(1, two), ElementsAre(two, two));
  EXPECT_THAT(slots_of(3, two), ElementsAre(two, two, two, two));
}

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
