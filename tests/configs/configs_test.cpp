// The configs that the README names: each is a valid sweep, and compares what it says it
// compares; and the tutorials, one experiment a file.

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/file.h"
#include "core/config/experiment_config.h"
#include "core/config/experiment_kinds.h"
#include "core/config/runnable.h"
#include "core/config/sweep_config.h"
#include "sweep_files.h"

namespace runahead::config {
namespace {

std::vector<std::filesystem::path> tutorial_configs() {
  std::vector<std::filesystem::path> paths = config_files("tutorials");
  EXPECT_FALSE(paths.empty());
  return paths;
}

TEST(Configs, EachCompareAWaitPerBatchWithNoneWhileNothingBoundsTheBacklog) {
  for (const std::string name : {"quickstart.json", "mxnet_memory.json", "host_memory.json"}) {
    SCOPED_TRACE(name);

    const std::vector<ExperimentConfig> cells = cells_of(name);

    ASSERT_EQ(cells.size(), 2U);
    EXPECT_EQ(cells[0].sync.policy(), "every_batch");
    EXPECT_EQ(cells[0].sync->wait(), WaitKind::kLossValue);
    EXPECT_EQ(cells[1].sync.policy(), "none");
    for (const ExperimentConfig& cell : cells) {
      EXPECT_EQ(cell.device, "acpu");
      EXPECT_EQ(cell.acpu.limit.kind, LimitConfig::Kind::kOff);
    }
  }
}

TEST(Configs, OfAllocationComparesTheThreeModelsWithAndWithoutWaits) {
  const std::vector<ExperimentConfig> cells = cells_of("allocation.json");

  std::set<std::tuple<Allocation, DataMade, std::string>> compared;
  for (const ExperimentConfig& cell : cells) {
    EXPECT_EQ(cell.acpu.limit.kind, LimitConfig::Kind::kOff);
    compared.emplace(cell.acpu.allocation, cell.data.made, cell.sync.policy());
  }
  EXPECT_EQ(cells.size(), 12U);
  EXPECT_EQ(compared.size(), 12U);
}

TEST(Configs, OfTheGuardComparesNoLimitWithTheDefaultInTheSameMemory) {
  const std::vector<ExperimentConfig> cells = cells_of("guard.json");

  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(load("guard.json").memory_limit_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(cells[0].acpu.limit.kind, LimitConfig::Kind::kOff);
  EXPECT_EQ(cells[1].acpu.limit.kind, LimitConfig::Kind::kGuard);
  EXPECT_EQ(cells[1].acpu.limit.kind, ExperimentConfig().acpu.limit.kind) << "the default";
  for (const ExperimentConfig& cell : cells) {
    EXPECT_EQ(cell.sync.policy(), "none");
    EXPECT_EQ(cell.acpu.allocation, Allocation::kAtIssue);
    EXPECT_EQ(cell.batches, 2000);
  }
}

TEST(Configs, OfTheChapterIsItsExperiment) {
  const ExperimentConfig cell = cells_of("mxnet_memory.json").front();

  EXPECT_EQ(cell.batches, 100);
  EXPECT_EQ(cell.warmup_batches, 1);
  EXPECT_EQ(cell.data.batch_size, 1024);
  EXPECT_EQ(cell.data.features, 512);
  EXPECT_EQ(cell.data.targets.value, 1.0);
  EXPECT_EQ(cell.data.targets.width, 1);
  EXPECT_EQ(cell.model.layers, (std::vector<std::int64_t>{2048, 512, 1}));
  EXPECT_EQ(cell.model.init, ModelInit::kGluon);
  EXPECT_EQ(cell.optimizer.kind, OptimizerKind::kSgd);
  EXPECT_EQ(cell.optimizer.learning_rate, 0.005);
  EXPECT_EQ(cell.loss, LossKind::kL2);
  EXPECT_EQ(cell.data.made, DataMade::kOnDevice);
  EXPECT_EQ(cell.acpu.ready_order, ReadyOrder::kFirstReady);
}

TEST(Configs, OfTheHostDiffersFromTheChaptersInDataAndReadyOrderOnly) {
  std::vector<ExperimentConfig> host = cells_of("host_memory.json");
  const std::vector<ExperimentConfig> chapter = cells_of("mxnet_memory.json");
  ASSERT_EQ(host.size(), chapter.size());
  for (std::size_t index = 0; index < host.size(); ++index) {
    EXPECT_EQ(host[index].data.made, DataMade::kOnHost);
    EXPECT_EQ(host[index].acpu.ready_order, ReadyOrder::kOldestFirst);

    host[index].data.made = chapter[index].data.made;
    host[index].acpu.ready_order = chapter[index].acpu.ready_order;

    EXPECT_EQ(to_json(host[index]), to_json(chapter[index]));
  }
}

/// How many different values of what `value_of` takes from a cell a sweep has.
template <typename ValueOf>
std::size_t values(const std::vector<ExperimentConfig>& cells, const ValueOf& value_of) {
  std::set<decltype(value_of(cells.front()))> different;
  for (const ExperimentConfig& cell : cells) different.insert(value_of(cell));
  return different.size();
}

TEST(SweepConfigs, OfPoliciesDevicesAndAllocationsLeaveOutAllocationsOnCpu) {
  const auto cells = cells_of("sweeps/sync_device_allocation.json");

  EXPECT_EQ(cells.size(), 3U * (1 + 3));
  EXPECT_EQ(values(cells,
                   [](const auto& cell) {
                     return std::tuple(cell.sync.policy(), cell.device, cell.acpu.allocation);
                   }),
            cells.size());
}

TEST(SweepConfigs, OfBatchSizesAndWindowsTrainTheSameNumberOfExamples) {
  const auto cells = cells_of("sweeps/batch_size_window.json");

  EXPECT_EQ(cells.size(), 4U * (4 + 1)) << "four windows, and none";
  EXPECT_EQ(values(cells, [](const auto& cell) { return cell.data.batch_size; }), 4U);
  EXPECT_EQ(values(cells, [](const auto& cell) { return cell.data.batch_size * cell.batches; }),
            1U);
}

TEST(SweepConfigs, OfWorkersAndReadyOrdersCompareWhereBatchesAreMade) {
  const auto cells = cells_of("sweeps/workers_ready_order.json");

  EXPECT_EQ(cells.size(), 2U * 2 * 2 * 2);
  EXPECT_EQ(values(cells,
                   [](const auto& cell) {
                     return std::tuple(cell.acpu.workers, cell.acpu.ready_order, cell.data.made,
                                       cell.sync.policy());
                   }),
            cells.size());
}

TEST(SweepConfigs, OfWidthsAndNumbersOfBatchesDoubleBoth) {
  const auto cells = cells_of("sweeps/layer_width_batches.json");

  EXPECT_EQ(cells.size(), 4U * 4 * 2);
  for (const ExperimentConfig& cell : cells) {
    EXPECT_EQ(cell.acpu.allocation, Allocation::kAtIssue);
    EXPECT_TRUE((std::set<std::int64_t>{512, 1024, 2048, 4096}).contains(cell.model.layers[0]));
    EXPECT_TRUE((std::set<std::int64_t>{10, 20, 40, 80}).contains(cell.batches));
  }
}

TEST(Configs, OfAProgramSweepsItsArguments) {
  EXPECT_EQ(values(cells_of("program.json"),
                   [](const auto& cell) { return fill_in(cell.command, "home").words; }),
            4U);
}

TEST(SweepConfigs, RunEverywhereHaveATimeLimitAndAreExplained) {
  const std::string readme = read_file(configs_folder() / "README.md", 1 << 20);
  int sweeps = 0;
  for (const std::filesystem::path& path : config_files("sweeps")) {
    const std::string name = "sweeps/" + path.filename().string();
    SCOPED_TRACE(name);
    for (const ExperimentConfig& cell : cells_of(name)) {
      EXPECT_NO_THROW(require_runnable(cell, name));
      EXPECT_EQ(cell.acpu.limit.kind, LimitConfig::Kind::kOff) << "their run-ahead is unbounded";
    }
    EXPECT_TRUE(load(name).timeout_seconds.has_value());
    EXPECT_NE(readme.find("`" + name + "`"), std::string::npos);
    ++sweeps;
  }
  EXPECT_EQ(sweeps, 4);
}

TEST(TutorialConfigs, ThereIsOneForEveryKindOfExperiment) {
  std::set<std::string> kinds;
  for (const std::filesystem::path& path : tutorial_configs()) {
    SCOPED_TRACE(path.string());
    const ExperimentConfig config = load_experiment(path);
    kinds.insert(config.experiment);
    EXPECT_EQ(config.device, "acpu");
    EXPECT_EQ(config.acpu.limit.kind, LimitConfig::Kind::kOff) << "their run-ahead is unbounded";
  }
  for (const ExperimentKind& kind : experiment_kinds()) {
    EXPECT_EQ(kinds.contains(kind.name), kind.has_tutorial) << kind.name;
  }
}

TEST(TutorialConfigs, RunOnEveryDevice) {
  for (const std::filesystem::path& path : tutorial_configs()) {
    for (const char* device : {"cpu", "cuda"}) {
      const ExperimentConfig config = load_experiment(path, {std::string("/device=") + device});
      EXPECT_NO_THROW(require_runnable(config, path.string()));
    }
  }
}

TEST(TutorialConfigs, EachIsRunOnTheirPage) {
  const std::string readme = read_file(configs_folder() / "tutorials" / "README.md", 1 << 20);
  for (const std::filesystem::path& path : tutorial_configs()) {
    EXPECT_NE(readme.find("$ runahead run configs/tutorials/" + path.filename().string()),
              std::string::npos)
        << path;
  }
}

}  // namespace
}  // namespace runahead::config
