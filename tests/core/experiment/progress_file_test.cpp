// How far a run is, as it tells whoever started it.
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/base/clock.h"
#include "core/device/device.h"
#include "core/experiment/experiment_run.h"
#include "core/record/cell_progress.h"
#include "data/normal.h"
#include "models/mlp.h"
#include "support/temporary_folder.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;

/// An MLP whose fourth forward goes on when the run has told how far it is.
class AttentiveModel final : public train::Model {
 public:
  AttentiveModel(const ExperimentConfig& config, std::filesystem::path path,
                 std::optional<record::CellProgress>& told)
      : mlp_(config.model, config.data.features, config.seed),
        path_(std::move(path)),
        told_(told) {}

  torch::Tensor forward(const torch::Tensor& inputs) override {
    const TimePoint patience_end = Clock::now() + std::chrono::seconds(30);
    const bool waits = ++forwards_ == 4;
    while (waits && !(told_ && told_->batches) && Clock::now() < patience_end) {
      told_ = record::read_cell_progress(path_);
    }
    return mlp_.forward(inputs);
  }
  torch::nn::Module& module() override { return mlp_.module(); }

 private:
  models::Mlp mlp_;
  std::filesystem::path path_;
  std::optional<record::CellProgress>& told_;
  int forwards_ = 0;
};

TEST(ProgressFile, TellsTheBatchesAlsoWithoutAMonitor) {
  register_device();
  for (const char* device : {"cpu", "acpu"}) {
    const test::TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / record::kCellProgressName;
    std::optional<record::CellProgress> told;
    ExperimentConfig config;
    config.device = device;
    config.batches = 6;
    config.model.layers = {8, 1};
    config.data = {.features = 4, .batch_size = 16};
    config.threads.pin = false;
    config.monitor.rate_hz = 0.0;
    Factories factories;
    factories.models["mlp"] = [&](const ExperimentConfig& resolved) {
      return std::make_unique<AttentiveModel>(resolved, path, told);
    };
    factories.sources["normal"] = data::make_normal_source;
    std::ostringstream sink;
    ExperimentRun run(config, factories,
                      {.sink = &sink, .progress_file = path, .progress_file_seconds = 0.01});
    run.execute();

    EXPECT_EQ(run.finish().status, record::Status::kOk) << device;
    ASSERT_TRUE(told.has_value()) << device;
    EXPECT_EQ(told->batches, 6U) << device;
    EXPECT_LE(told->batches_issued, 3U) << device;
    EXPECT_LE(told->batches_finished, told->batches_issued) << device;
    EXPECT_GT(told->rss_bytes, 0U) << device;
  }
}

}  // namespace
}  // namespace runahead::experiment
