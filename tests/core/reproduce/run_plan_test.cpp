#include "core/reproduce/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"

namespace runahead::reproduce {
namespace {

const std::filesystem::path kConfigs =
    std::filesystem::path(RUNAHEAD_SOURCE_FOLDER) / "configs" / "seeds";

std::vector<ReproduceJob> plan(const std::vector<std::string>& devices, bool is_quick = false,
                               const std::string& experiment = "") {
  return make_run_plan(
      {.configs = kConfigs, .devices = devices, .experiment = experiment, .is_quick = is_quick});
}

TEST(RunPlan, NamesEachRunOnce) {
  std::set<std::string> names;
  for (const PlannedRun& run : planned_runs()) {
    EXPECT_TRUE(names.insert(run.name).second) << run.name;
  }
}

TEST(RunPlan, UsesEveryConfigOfTheSeeds) {
  std::set<std::string> used;
  for (const PlannedRun& run : planned_runs()) used.insert(run.config);
  for (const auto& file : std::filesystem::directory_iterator(kConfigs)) {
    if (file.path().extension() != ".json") continue;
    EXPECT_TRUE(used.contains(file.path().filename().string())) << file.path();
  }
}

TEST(RunPlan, ResolvesEveryConfigOnEveryDeviceInBothSizes) {
  for (const bool is_quick : {false, true}) {
    for (const ReproduceJob& job : plan({"cpu", "acpu", "cuda"}, is_quick)) {
      EXPECT_EQ(job.cell.config.device, job.device) << job.run;
    }
  }
}

TEST(RunPlan, ShrinksSizesAndNoClaimsWhenQuick) {
  const auto whole = plan({"acpu"});
  const auto quick = plan({"acpu"}, true);
  ASSERT_EQ(whole.size(), quick.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(whole[i].run, quick[i].run);
    EXPECT_NE(whole[i].cell.id, quick[i].cell.id) << whole[i].run;
  }
}

TEST(RunPlan, RunsEachProcessOfAllBeforeTheNext) {
  const auto jobs = plan({"cpu", "acpu"});
  EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end(), [](const auto& one, const auto& other) {
    return one.process < other.process;
  }));
  EXPECT_EQ(jobs.back().process, 2);
}

TEST(RunPlan, TakesOnlyTheRunsOfAKind) {
  for (const ReproduceJob& job : plan({"acpu"}, false, "graph")) {
    EXPECT_EQ(job.cell.config.experiment, "graph");
  }
  EXPECT_EQ(plan({"acpu"}, false, "graph").size(), 2U);
}

TEST(RunPlan, RefusesAFolderWithoutTheConfigs) {
  EXPECT_THROW(static_cast<void>(make_run_plan({.configs = "/nowhere", .devices = {"cpu"}})),
               Error);
}

}  // namespace
}  // namespace runahead::reproduce
