#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "core/memory/cgroup.h"
#include "core/memory/heap.h"
#include "core/memory/probe.h"
#include "core/memory/process_probe.h"
#include "core/memory/process_tree_probe.h"
#include "core/memory/slow_lane.h"
#include "support/text_file.h"

namespace runahead::memory {
namespace {

// What the monitor relies on, for every probe of this folder. A new probe gets a row.

struct ProbeCase {
  std::string name{};
  std::function<std::unique_ptr<Probe>()> make{};
};

template <typename Kind, typename... Arguments>
ProbeCase probe_case(const std::string& name, Arguments... arguments) {
  return {name, [arguments...] { return std::make_unique<Kind>(arguments...); }};
}

std::vector<ProbeCase> probe_cases() {
  return {probe_case<ProcessProbe>("process"),
          probe_case<ProcessProbe>("process_that_is_not_there", pid_t{0x7fffffff}),
          {"proportional_set", make_proportional_set_probe},
          {"process_status", make_process_status_probe},
          {"heap", make_heap_probe},
          {"cgroup", [] { return make_cgroup_probe(); }},
          {"cgroup_of_another", [] { return make_cgroup_probe(::getppid()); }},
          probe_case<ProcessTreeProbe>("tree", ::getpid(), ProcessTreeProbe::Root::kCounts),
          {"tree_proportional_set",
           [] {
             return make_tree_proportional_set_probe(::getpid(), ProcessTreeProbe::Root::kCounts);
           }},
          {"slow_lane", [] { return make_slow_lane(); }}};
}

class EveryProbe : public ::testing::TestWithParam<ProbeCase> {};

TEST_P(EveryProbe, HasColumnsOfDistinctNamesThatStay) {
  const auto probe = GetParam().make();
  const std::vector<std::string> names = names_of(probe->columns());

  EXPECT_FALSE(names.empty());
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string& name : names) {
    EXPECT_THAT(name, ::testing::MatchesRegex("[a-z][a-z_]*"));
  }
  EXPECT_EQ(names_of(GetParam().make()->columns()), names);
}

TEST_P(EveryProbe, WritesEachOfItsReadingsAndNoMore) {
  constexpr std::uint64_t kStale = 0xdeadbeef;
  const auto probe = GetParam().make();
  const std::size_t count = probe->columns().size();
  std::vector<Reading> readings(count + 1, kStale);

  probe->read(std::span(readings).first(count));

  for (std::size_t i = 0; i < count; ++i) EXPECT_NE(readings[i], kStale) << i;
  EXPECT_EQ(readings[count], kStale);
}

TEST_P(EveryProbe, IsReadAgainAndAgain) {
  const auto probe = GetParam().make();
  std::vector<Reading> readings(probe->columns().size());

  for (int i = 0; i < 100; ++i) probe->read(readings);
  EXPECT_GE(probe->own_cpu_seconds(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Probes, EveryProbe, ::testing::ValuesIn(probe_cases()),
                         [](const auto& tested) { return tested.param.name; });

// Made-up /proc/self/cgroup (and that of another process), /sys/fs/cgroup, /proc/pressure/memory
// and /proc/meminfo.
TEST(CgroupMemory, IsThatOfTheTable) {
  for (const Json& row : read_json_file(RUNAHEAD_SOURCE_FOLDER "/tests/data/cgroups.json")) {
    SCOPED_TRACE(row["what"]);
    const ScratchFolder folder;
    for (const auto& [name, text] : row["files"].items()) {
      runahead::test::write_text(folder.path() / name, text.get<std::string>());
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

TEST(ConfigureMalloc, LargeBlocksLeaveTheProcessWhenFreed) {
  const std::string text = configure_malloc(65536);
  if (text == "sanitizer" || text == "not glibc") {
    GTEST_SKIP() << "malloc is another's: " << text;
  }
  const ProcessProbe probe;
  const std::uint64_t before = probe.rss_bytes().value();
  std::vector<std::unique_ptr<std::vector<char>>> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(std::make_unique<std::vector<char>>(1 << 20, 'x'));
  EXPECT_GE(probe.rss_bytes().value(), before + 60'000'000);

  // The last block keeps the heap's top from being trimmed, were they in the heap.
  blocks.erase(blocks.begin(), blocks.end() - 1);
  EXPECT_LT(probe.rss_bytes().value(), before + 8'000'000);
}

TEST(HeapProbe, SeesBlocksInUseAndThenFree) {
  const std::unique_ptr<Probe> probe = make_heap_probe();
  std::array<Reading, 2> before{};
  probe->read(before);
  if (!before[0]) GTEST_SKIP() << "malloc is another's";
  std::array<Reading, 2> in_use{};
  std::array<Reading, 2> freed{};
  {
    std::vector<std::unique_ptr<std::array<char, 8000>>> blocks;
    for (int i = 0; i < 1000; ++i) blocks.push_back(std::make_unique<std::array<char, 8000>>());
    const auto keep_the_top = std::make_unique<std::array<char, 8000>>();
    asm volatile("" : : "r"(keep_the_top.get()) : "memory");  // Else it is optimised away.
    probe->read(in_use);
    blocks.clear();
    probe->read(freed);
  }
  EXPECT_GE(in_use[0].value(), before[0].value() + 8'000'000);
  EXPECT_LT(freed[0].value(), in_use[0].value() - 7'000'000);
  EXPECT_GE(freed[1].value(), in_use[1].value() + 7'000'000);
}

TEST(TrimHeap, ReturnsFreedSmallBlocks) {
  if (configure_malloc(65536) == "sanitizer") GTEST_SKIP() << "malloc is the sanitizer's";
  const ProcessProbe probe;
  std::vector<std::unique_ptr<std::vector<char>>> blocks;
  for (int i = 0; i < 4096; ++i) {
    blocks.push_back(std::make_unique<std::vector<char>>(16'000, 'x'));
  }
  const auto keep_the_top = std::make_unique<std::vector<char>>(16'000, 'x');
  blocks.clear();
  const std::uint64_t before = probe.rss_bytes().value();

  trim_heap();

  EXPECT_LT(probe.rss_bytes().value(), before - 40'000'000);
}

}  // namespace
}  // namespace runahead::memory
