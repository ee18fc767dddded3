// The progress that a run reports to its parent.
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

/// An MLP whose fourth forward goes on when the run has reported its progress.
class AttentiveModel final : public train::Model {
 public:
  AttentiveModel(const ExperimentConfig& config, std::filesystem::path path,
                 std::optional<record::CellProgress>& reported)
      : mlp_(config.model, config.data.features, config.seed),
        path_(std::move(path)),
        reported_(reported) {}

  torch::Tensor forward(const torch::Tensor& inputs) override {
    const TimePoint patience_end = Clock::now() + std::chrono::seconds(30);
    const bool waits = ++forwards_ == 4;
    while (waits && !(reported_ && reported_->batches) && Clock::now() < patience_end) {
      reported_ = record::read_cell_progress(path_);
    }
    return mlp_.forward(inputs);
  }
  torch::nn::Module& module() override { return mlp_.module(); }

 private:
  models::Mlp mlp_;
  std::filesystem::path path_;
  std::optional<record::CellProgress>& reported_;
  int forwards_ = 0;
};

class ProgressFile : public SmallRunOnEach {};

TEST_P(ProgressFile, ReportsTheBatchesAlsoWithoutAMonitor) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / record::kCellProgressName;
  std::optional<record::CellProgress> reported;
  config_.monitor.rate_hz = 0.0;
  factories_.models["mlp"] = [&](const ExperimentConfig& resolved) {
    return std::make_unique<AttentiveModel>(resolved, path, reported);
  };
  ExperimentRun run(config_, factories_,
                    {.sink = &sink_, .progress_file = path, .progress_file_seconds = 0.01});
  run.execute();

  EXPECT_EQ(run.finish().status, record::Status::kOk);
  ASSERT_TRUE(reported.has_value());
  EXPECT_EQ(reported->batches, 6U);
  EXPECT_LE(reported->batches_issued, 3U);
  EXPECT_LE(reported->batches_finished, reported->batches_issued);
  EXPECT_GT(reported->rss_bytes, 0U);
}

RUNAHEAD_RUN_ON_EACH_DEVICE(ProgressFile);

}  // namespace
}  // namespace runahead::experiment
