// What the monitor relies on, for every probe of this folder. A new probe gets a row.
#include "core/memory/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <set>

#include "core/memory/cgroup.h"
#include "core/memory/heap.h"
#include "core/memory/process_probe.h"
#include "core/memory/process_tree_probe.h"
#include "core/memory/slow_lane.h"

namespace runahead::memory {
namespace {

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
          probe_case<ProportionalSetProbe>("proportional_set"),
          probe_case<ProcessStatusProbe>("process_status"),
          {"heap", make_heap_probe},
          probe_case<CgroupProbe>("cgroup"),
          probe_case<CgroupProbe>("cgroup_of_another", ::getppid()),
          probe_case<ProcessTreeProbe>("tree", ::getpid(), ProcessTreeProbe::Root::kCounts),
          probe_case<TreeProportionalSetProbe>("tree_proportional_set", ::getpid(),
                                               ProcessTreeProbe::Root::kCounts),
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

}  // namespace
}  // namespace runahead::memory
