// How far a run is, as it tells whoever started it.
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "core/base/clock.h"
#include "core/experiment/small_run.h"
#include "core/record/cell_progress.h"
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

class ProgressFile : public SmallRunOnEach {};

TEST_P(ProgressFile, ReportsTheBatchesAlsoWithoutAMonitor) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / record::kCellProgressName;
  std::optional<record::CellProgress> told;
  config_.monitor.rate_hz = 0.0;
  factories_.models["mlp"] = [&](const ExperimentConfig& resolved) {
    return std::make_unique<AttentiveModel>(resolved, path, told);
  };
  ExperimentRun run(config_, factories_,
                    {.sink = &sink_, .progress_file = path, .progress_file_seconds = 0.01});
  run.execute();

  EXPECT_EQ(run.finish().status, record::Status::kOk);
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->batches, 6U);
  EXPECT_LE(told->batches_issued, 3U);
  EXPECT_LE(told->batches_finished, told->batches_issued);
  EXPECT_GT(told->rss_bytes, 0U);
}

RUNAHEAD_RUN_ON_EACH_DEVICE(ProgressFile);

}  // namespace
}  // namespace runahead::experiment
