#include "core/memory/process_tree_probe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>

#include "core/memory/fakes.h"
#include "core/memory/family.h"

namespace runahead::memory {
namespace {

using Root = ProcessTreeProbe::Root;
using test::Family;
using test::ManualTicker;
using test::ManualTime;

/// Both columns, once the thread has found the processes of the moment.
std::array<Reading, 2> read_now(ProcessTreeProbe& probe) {
  probe.find_processes();
  std::array<Reading, 2> readings{};
  probe.read(readings);
  // The first reading may still have had the list before: it hands that back.
  probe.find_processes();
  probe.read(readings);
  return readings;
}

TEST(ProcessTreeProbe, SumsUpTheTree) {
  const Family family;
  ProcessTreeProbe probe(family.child(), Root::kCounts);

  const auto [bytes, processes] = read_now(probe);
  EXPECT_GE(bytes.value(), Family::kBlockBytes * 9 / 10);
  EXPECT_EQ(processes, 2U);
}

TEST(ProcessTreeProbe, FindsProcessesThatComeAndForgetsThoseThatGo) {
  ManualTime time;
  ProcessTreeProbe probe(::getpid(), Root::kDoesNotCount, std::make_unique<ManualTicker>(time));
  EXPECT_EQ(read_now(probe)[0], std::nullopt);
  EXPECT_EQ(read_now(probe)[1], 0U);
  {
    const Family family;
    ASSERT_TRUE(time.advance(std::chrono::seconds(1)));
    EXPECT_EQ(read_now(probe)[1], 2U);
  }
  EXPECT_EQ(read_now(probe)[0], std::nullopt);
  EXPECT_EQ(read_now(probe)[1], 0U);

  const std::vector<SeenProcess> seen = probe.seen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_LE(seen[0].first_seen, time.now());
  EXPECT_EQ(seen[0].last_seen, time.now());
  EXPECT_GE(seen[1].rss_peak_bytes.value(), Family::kBlockBytes * 9 / 10);
  EXPECT_NE(seen[1].name, "");
}

TEST(ProcessTreeProbe, ReadsNothingOfAProcessThatHasEndedBeforeItIsLookedForAgain) {
  ManualTime time;
  Family family;
  ProcessTreeProbe probe(family.child(), Root::kCounts, std::make_unique<ManualTicker>(time));
  ASSERT_EQ(read_now(probe)[1], 2U);
  family.end();

  std::array<Reading, 2> readings{};
  probe.read(readings);
  EXPECT_EQ(readings[0], std::nullopt);
  EXPECT_EQ(readings[1], 0U);
}

TEST(TreeProportionalSetProbe, SumsUpTheTree) {
  const Family family;
  TreeProportionalSetProbe probe(family.child(), Root::kDoesNotCount);
  std::array<Reading, 1> reading{};
  probe.read(reading);
  if (!reading[0]) GTEST_SKIP() << "no /proc/PID/smaps_rollup here";
  EXPECT_GE(*reading[0], Family::kBlockBytes * 9 / 10);
}

}  // namespace
}  // namespace runahead::memory
