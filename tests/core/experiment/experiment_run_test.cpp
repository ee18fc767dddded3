// Whole runs of a small MLP in this process: what their records hold, however they end.
#include "core/experiment/experiment_run.h"

#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <algorithm>
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

  [[nodiscard]] bool is_asynchronous() const { return config_.device != "cpu"; }
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

TEST_P(ExperimentRunTest, GoodRunHasEveryFigureOfItsDevice) {
  const Record record = run();

  EXPECT_EQ(record.status, Status::kOk) << record.error.value_or("");
  EXPECT_EQ(record.error, std::nullopt);
  EXPECT_EQ(record.repeat, 2);
  EXPECT_TRUE(record.environment.torch);
  EXPECT_GT(record.time.total_seconds.value(), 0.0);
  EXPECT_LE(record.time.issue_seconds.value(), record.time.total_seconds.value());
  EXPECT_NEAR(record.time.examples_per_second.value(), 6 * 16 / *record.time.total_seconds, 1e-6);
  EXPECT_TRUE(record.time.cpu_seconds && record.time.t1_seconds && record.time.t2_seconds &&
              record.time.t3_seconds && record.time.predicted_total_seconds);
  const std::vector<double>& finished = record.time.batch_finished_seconds.value();
  EXPECT_EQ(finished.size(), 6);
  EXPECT_TRUE(std::is_sorted(finished.begin(), finished.end()));
  EXPECT_GE(finished.front(), 0.0);
  EXPECT_LE(finished.back(), *record.time.total_seconds);
  EXPECT_TRUE(record.memory.rss_baseline_bytes && record.memory.rss_peak_bytes &&
              record.memory.rss_growth_bytes && record.memory.rss_end_bytes);
  EXPECT_TRUE(record.backlog.batches_peak);
  EXPECT_LT(record.loss.last.value(), record.loss.first.value());
  EXPECT_EQ(static_cast<double>(static_cast<float>(*record.loss.first)), *record.loss.first);
  EXPECT_GT(record.monitor.samples.value(), 0);

  EXPECT_EQ(record.memory.held_peak_bytes.has_value(), is_asynchronous());
  EXPECT_EQ(record.memory.live_peak_bytes.has_value(), is_asynchronous());
  EXPECT_EQ(record.memory.committed_peak_bytes.has_value(), is_asynchronous());
  EXPECT_EQ(record.backlog.operations_peak.has_value(), is_asynchronous());
  EXPECT_EQ(record.backlog.bytes_peak.has_value(), is_asynchronous());
  EXPECT_EQ(record.backlog.predicted_bytes_peak.has_value(), is_asynchronous());
  EXPECT_EQ(record.backlog.blocking_operators.has_value(), is_asynchronous());
}

TEST_P(ExperimentRunTest, OperationThatFailsIsNamedInARecordOfAFailedRun) {
  spoil_step(1, [](const torch::Tensor& inputs) {
    return inputs.index_select(1, torch::full({1}, 99, inputs.options().dtype(torch::kInt64)));
  });
  config_.warmup_batches = 0;

  const Record record = run();

  EXPECT_EQ(record.status, Status::kFailed);
  if (is_asynchronous()) {
    EXPECT_NE(record.error.value().find("index_select"), std::string::npos) << *record.error;
  }
  EXPECT_TRUE(record.memory.rss_baseline_bytes);
  EXPECT_FALSE(record.time.total_seconds);
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

TEST_P(ExperimentRunTest, WarmUpPrintsNothing) {
  config_.warmup_batches = 3;
  config_.sync = {"every_batch", {{"wait", "print"}}};
  run();

  const std::string printed = sink_.str();
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 6);
}

RUNAHEAD_RUN_ON_EACH_DEVICE(ExperimentRunTest);

class LossesOfARun : public ::testing::Test, protected SmallRun {};

TEST_F(LossesOfARun, AreThoseOfCpuOnAcpu) {
  using config::Allocation;
  config_.device = "cpu";
  const auto expected = losses();
  config_.device = "acpu";
  for (const auto model : {Allocation::kAtIssue, Allocation::kInStreamOrder, Allocation::kCaching,
                           Allocation::kAtExecution}) {
    config_.acpu.allocation = model;
    EXPECT_EQ(losses(), expected);
  }
}

}  // namespace
}  // namespace runahead::experiment
