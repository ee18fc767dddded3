#include "core/reproduce/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "core/config/experiment_kinds.h"

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

TEST(RunPlan, UsesEveryConfigOfTheSeedsThatClaimsRestOn) {
  std::set<std::string> used;
  for (const PlannedRun& run : planned_runs()) used.insert(run.config);
  for (const auto& file : std::filesystem::directory_iterator(kConfigs)) {
    if (file.path().extension() != ".json") continue;
    const auto config = config::load_experiment(file.path());
    if (config::kind_of(config.experiment).is_foreign) continue;
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
  std::map<std::string, std::string> whole;
  for (const ReproduceJob& job : plan({"acpu"})) whole[job.run] = job.cell.id;
  std::map<std::string, std::string> quick;
  for (const ReproduceJob& job : plan({"acpu"}, true)) quick[job.run] = job.cell.id;

  ASSERT_EQ(whole.size(), quick.size());
  for (const auto& [run, id] : whole) EXPECT_NE(quick.at(run), id) << run;
}

TEST(RunPlan, MeasuresMemoryInTwoProcessesAndComparesTimesInFivePairs) {
  const auto processes = [](bool is_quick, const std::string& run) {
    const auto jobs = plan({"acpu"}, is_quick);
    return std::count_if(jobs.begin(), jobs.end(),
                         [&run](const ReproduceJob& job) { return job.run == run; });
  };
  for (const bool is_quick : {false, true}) {
    EXPECT_EQ(processes(is_quick, "train.on_device.none.long"), 2);
    EXPECT_EQ(processes(is_quick, "predict.kept.none.short"), 2);
    EXPECT_EQ(processes(is_quick, "train.on_device.none.short"), 5);
    EXPECT_EQ(processes(is_quick, "train.on_device.every_batch.short"), 5);
  }
}

TEST(RunPlan, RunsEachProcessOfAllBeforeTheNext) {
  const auto jobs = plan({"cpu", "acpu"});
  EXPECT_TRUE(std::is_sorted(jobs.begin(), jobs.end(), [](const auto& one, const auto& other) {
    return one.process < other.process;
  }));
  EXPECT_EQ(jobs.back().process, 4);
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
