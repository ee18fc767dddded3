// Whole runs of a small MLP in this process: what their records hold, however they end.
#include "core/experiment/experiment_run.h"

#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <functional>

#include "core/experiment/small_run.h"

namespace runahead::experiment {
namespace {

using config::ExperimentConfig;
using record::Record;
using record::Status;

/// An MLP whose `step`-th forward adds what `spoil` returns, times zero, to its predictions.
class SpoiledModel final : public train::Model {
 public:
  using Spoil = std::function<torch::Tensor(const torch::Tensor& inputs)>;

  SpoiledModel(const ExperimentConfig& config, int step, Spoil spoil)
      : mlp_(config.model, config.data.features, config.seed),
        step_(step),
        spoil_(std::move(spoil)) {}

  torch::Tensor forward(const torch::Tensor& inputs) override {
    const torch::Tensor predictions = mlp_.forward(inputs);
    return ++forwards_ == step_ ? predictions + spoil_(inputs) * 0 : predictions;
  }
  torch::nn::Module& module() override { return mlp_.module(); }

 private:
  models::Mlp mlp_;
  int step_;
  int forwards_ = 0;
  Spoil spoil_;
};

class ExperimentRunTest : public SmallRunOnEach {
 protected:
  void spoil_step(int step, SpoiledModel::Spoil spoil) {
    factories_.models["mlp"] = [step, spoil](const ExperimentConfig& config) {
      return std::make_unique<SpoiledModel>(config, step, spoil);
    };
  }
};

TEST_P(ExperimentRunTest, ANoticeOfTheLimitNamesTheBatch) {
  if (config_.device != "acpu") GTEST_SKIP() << "only acpu has a limit";
  config_.acpu.limit = {.kind = config::LimitConfig::Kind::kExplicit, .bytes = 1 << 20};
  config_.warmup_batches = 1;
  spoil_step(3, [](const torch::Tensor& inputs) {
    return torch::ones({1 << 20}, inputs.options()).sum();
  });

  const Record record = run();

  ASSERT_EQ(record.results.at("limit_notices").size(), 1U);
  const auto notice = record.results.at("limit_notices")[0].get<std::string>();
  EXPECT_EQ(notice.rfind("acpu: in batch 2: one allocation of 4.19 MB", 0), 0U) << notice;
}

TEST_P(ExperimentRunTest, InterruptionKeepsWhatWasMeasured) {
  std::stop_source stop;
  spoil_step(4, [&stop](const torch::Tensor& inputs) {
    stop.request_stop();
    return inputs.sum();
  });

  const Record record = run(stop.get_token());

  EXPECT_EQ(record.status, Status::kInterrupted);
  EXPECT_GT(record.time.issue_seconds.value(), 0.0);
  EXPECT_GE(record.time.total_seconds.value(), *record.time.issue_seconds);
  EXPECT_TRUE(record.time.examples_per_second && record.time.cpu_seconds);
  // The fourth forward is the third after the one of the warm-up; its batch is issued whole.
  EXPECT_EQ(record.results.at("batches_issued"), 3);
  EXPECT_EQ(record.time.batch_finished_seconds.value().size(),
            record.results.at("batches_finished"));
  EXPECT_TRUE(record.memory.rss_peak_bytes);
}

RUNAHEAD_RUN_ON_EACH_DEVICE(ExperimentRunTest);

}  // namespace
}  // namespace runahead::experiment
