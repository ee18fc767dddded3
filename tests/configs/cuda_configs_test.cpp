// The configs that scripts/gpu_check runs: what each compares, and that what trains differs
// in nothing else.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/config/runnable.h"
#include "core/config/sweep_config.h"
#include "sweep_files.h"

namespace runahead::config {
namespace {

std::vector<std::string> sweep_names() {
  std::vector<std::string> names;
  for (const std::filesystem::path& path : config_files("cuda")) {
    names.push_back("cuda/" + path.filename().string());
  }
  return names;
}

/// The policies of each of a sweep's charts: its cells that differ in nothing else.
std::map<std::string, std::set<std::string>> policies_by_chart(const std::string& name) {
  std::map<std::string, std::set<std::string>> charts;
  for (const ExperimentConfig& cell : cells_of(name)) {
    Json chart = to_json(cell);
    chart.erase("sync");
    charts[dump_json(chart)].insert(cell.sync.policy());
  }
  return charts;
}

TEST(CudaConfigs, RunOnCudaHaveATimeLimitAndAreExplained) {
  const std::string readme = read_file(configs_folder() / "cuda" / "README.md", 1 << 20);
  ASSERT_FALSE(sweep_names().empty());
  for (const std::string& name : sweep_names()) {
    SCOPED_TRACE(name);
    for (const ExperimentConfig& cell : cells_of(name)) {
      EXPECT_EQ(cell.device, "cuda");
      EXPECT_NO_THROW(require_runnable(cell, name));
    }
    EXPECT_TRUE(load(name).timeout_seconds.has_value());
    EXPECT_NE(readme.find("`" + std::filesystem::path(name).filename().string() + "`"),
              std::string::npos);
  }
}

TEST(CudaConfigs, CompareAWaitPerBatchWithNoneFiveTimesOrMoreWithBatchesMadeBeforehand) {
  int compared = 0;
  for (const std::string& name : sweep_names()) {
    SCOPED_TRACE(name);
    if (name == "cuda/out_of_memory.json" || name == "cuda/launch_queue.json") continue;
    EXPECT_GE(load(name).repeats, 5);
    for (const auto& [chart, policies] : policies_by_chart(name)) {
      EXPECT_TRUE(policies.contains("every_batch")) << chart;
      EXPECT_TRUE(policies.contains("none")) << chart;
    }
    for (const ExperimentConfig& cell : cells_of(name)) {
      EXPECT_EQ(cell.data.made, DataMade::kBeforehand);
      if (cell.sync.policy() == "window") {
        EXPECT_EQ(cell.sync.value("batches"), 2);
      }
    }
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}

TEST(CudaConfigs, TrainTheSameWhateverTheyCompare) {
  std::set<std::string> trained;
  for (const std::string& name : sweep_names()) {
    if (name == "cuda/out_of_memory.json") continue;
    for (const ExperimentConfig& cell : cells_of(name)) {
      if (cell.experiment != "train") continue;
      Json common = to_json(cell);
      for (const std::string compared : {"sync", "cuda", "log_every"}) common.erase(compared);
      trained.insert(dump_json(common));
    }
  }
  EXPECT_EQ(trained.size(), 1U);
}

TEST(CudaConfigs, OfThePlainStreamQueueOnOneStream) {
  const std::vector<ExperimentConfig> cells = cells_of("cuda/plain.json");

  EXPECT_EQ(policies_by_chart("cuda/plain.json").size(), 1U);
  EXPECT_EQ(cells.size(), 4U) << "a wait per batch, a window, one that is found, none";
  EXPECT_EQ(cells.front().cuda.copies, Copies::kInOrder);
  EXPECT_EQ(cells.front().cuda.staging, Staging::kPinned) << "pageable copies are waited for";
}

TEST(CudaConfigs, OfStagingCompareTheThreeAndABudget) {
  std::set<std::tuple<Staging, std::string>> compared;
  for (const ExperimentConfig& cell : cells_of("cuda/staging.json")) {
    EXPECT_EQ(cell.cuda.copies, Copies::kInOrder);
    compared.emplace(cell.cuda.staging, cell.sync.policy());
  }
  EXPECT_EQ(compared.size(), 3U * 2 + 1);
  EXPECT_TRUE(compared.contains({Staging::kPinned, "budget"}));
}

TEST(CudaConfigs, OfCopiesCompareDeferredFreesWithReuse) {
  std::set<Copies> compared;
  for (const ExperimentConfig& cell : cells_of("cuda/copies.json")) {
    EXPECT_EQ(cell.cuda.staging, Staging::kPinnedRing) << "host memory is not what is compared";
    compared.insert(cell.cuda.copies);
  }
  EXPECT_EQ(compared, (std::set{Copies::kSideRecordStream, Copies::kSideReuse}));
}

TEST(CudaConfigs, OfAllocatorsCompareThemWhereFreesAreDeferred) {
  std::set<CudaAllocator> allocators;
  for (const ExperimentConfig& cell : cells_of("cuda/allocator.json")) {
    EXPECT_EQ(cell.cuda.copies, Copies::kSideRecordStream);
    allocators.insert(cell.cuda.allocator);
  }
  std::set<bool> expandable;
  for (const ExperimentConfig& cell : cells_of("cuda/expandable_segments.json")) {
    EXPECT_EQ(cell.cuda.copies, Copies::kSideRecordStream);
    EXPECT_EQ(cell.cuda.allocator, CudaAllocator::kNative);
    expandable.insert(cell.cuda.expandable_segments);
  }
  EXPECT_EQ(allocators.size(), 2U);
  EXPECT_EQ(expandable.size(), 2U);
}

TEST(CudaConfigs, OfWhatAProgramKeepsCompareItWithNothingKept) {
  std::set<bool> logs;
  for (const ExperimentConfig& cell : cells_of("cuda/losses.json")) logs.insert(cell.log_every > 0);
  EXPECT_EQ(logs.size(), 2U);
  for (const char* name : {"cuda/outputs.json", "cuda/launch_queue.json"}) {
    std::set<Outputs> outputs;
    for (const ExperimentConfig& cell : cells_of(name)) outputs.insert(cell.program.outputs);
    EXPECT_EQ(outputs.size(), 2U) << name;
  }
}

TEST(CudaConfigs, OfOutOfMemoryHaveABatchAfterTheOneThatIsTooLarge) {
  std::vector<std::int64_t> sizes;
  for (const ExperimentConfig& cell : cells_of("cuda/out_of_memory.json")) {
    sizes.push_back(cell.data.batch_size);
  }

  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_EQ(std::max_element(sizes.begin(), sizes.end()) - sizes.begin(), 1);
  EXPECT_GT(sizes[2], sizes[0]);
  EXPECT_EQ(load("cuda/out_of_memory.json").jobs, 1) << "one after another";
}

TEST(CudaTutorialConfigs, AreTheDocumentsOwnWithAWarmUp) {
  int tutorials = 0;
  for (const std::filesystem::path& path : config_files("cuda/tutorials")) {
    SCOPED_TRACE(path.string());
    const ExperimentConfig on_cuda = load_experiment(path);
    ExperimentConfig document = load_experiment(configs_folder() / "tutorials" / path.filename());
    EXPECT_EQ(on_cuda.device, "cuda");
    EXPECT_GE(on_cuda.program.warmup_repeats, 1);

    document.device = on_cuda.device;
    document.acpu = on_cuda.acpu;
    EXPECT_EQ(to_json(on_cuda), to_json(document));
    EXPECT_NO_THROW(require_runnable(on_cuda, path.string()));
    ++tutorials;
  }
  EXPECT_EQ(tutorials, 3);
}

}  // namespace
}  // namespace runahead::config
