// Whole runs of a small MLP under the sync policy `adaptive`.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <sstream>
#include <utility>

#include "core/device/device.h"
#include "core/experiment/experiment_run.h"
#include "data/normal.h"
#include "models/mlp.h"

namespace runahead::experiment {
namespace {

using config::Allocation;
using config::ExperimentConfig;
using record::Record;
using record::Status;

constexpr std::uint64_t kActivationBytes = 64 * 64 * sizeof(float);

class AdaptiveRunTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_device(); }

  AdaptiveRunTest() {
    config_.batches = 12;
    config_.model.layers = {64, 1};
    config_.data = {.features = 16, .batch_size = 64};
    config_.sync = {"adaptive"};
    config_.acpu.allocation = Allocation::kAtIssue;
    config_.threads.pin = false;
  }

  Record run() {
    std::ostringstream sink;
    const Factories factories{.models = {{"mlp",
                                          [](const ExperimentConfig& config) {
                                            return std::make_unique<models::Mlp>(
                                                config.model, config.data.features, config.seed);
                                          }}},
                              .sources = {{"normal", data::make_normal_source}}};
    ExperimentRun run(config_, factories, {.sink = &sink});
    run.execute();
    Record record = run.finish();
    EXPECT_EQ(record.status, Status::kOk) << record.error.value_or("");
    return record;
  }

  [[nodiscard]] std::pair<double, double> losses() {
    const Record record = run();
    return {record.loss.first.value(), record.loss.last.value()};
  }

  ExperimentConfig config_{};
};

TEST_F(AdaptiveRunTest, RecordHasTheCeilingAndTheChoices) {
  config_.sync = {"adaptive", {{"ceiling", 123'456'789}}};

  const Record record = run();

  const Json& adaptive = record.results.at("adaptive");
  EXPECT_EQ(adaptive.at("ceiling_bytes"), 123'456'789);
  EXPECT_EQ(record.results.at("limit_bytes"), 123'456'789);
  const Json& operations = adaptive.at("operations");
  ASSERT_GE(operations.size(), 1U);
  EXPECT_EQ(operations[0][0], 0);
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto depth = operations[i][1].get<std::uint64_t>();
    if (i > 0) {
      EXPECT_GT(operations[i][0], operations[i - 1][0]);
      EXPECT_NE(depth, operations[i - 1][1].get<std::uint64_t>());
    }
    most = std::max(most, depth);
  }
  EXPECT_LE(record.backlog.operations_peak.value(), most);
}

TEST_F(AdaptiveRunTest, LossesAreThoseOfAWaitPerBatch) {
  for (const int workers : {1, 2}) {
    for (const auto allocation :
         {Allocation::kAtIssue, Allocation::kInStreamOrder, Allocation::kAtExecution}) {
      config_.acpu.workers = workers;
      config_.acpu.allocation = allocation;
      config_.sync = {"every_batch"};
      const auto expected = losses();
      config_.sync = {"adaptive"};

      EXPECT_EQ(losses(), expected);
    }
  }
}

TEST_F(AdaptiveRunTest, CeilingHoldsWhateverTheDepth) {
  config_.sync = {"adaptive", {{"ceiling", 1}}};  // Each allocation is larger, and made alone.
  const Record alone = run();
  const std::uint64_t ceiling = alone.memory.committed_peak_bytes.value() + kActivationBytes;
  config_.sync = {"adaptive", {{"ceiling", ceiling}}};
  const Record within = run();

  EXPECT_EQ(alone.results.at("limit_notices").size(), 1U) << "whatever the depths chosen";
  EXPECT_EQ(within.results.at("limit_notices").size(), 0U);
  EXPECT_LE(within.memory.committed_peak_bytes.value(), ceiling);
}

TEST_F(AdaptiveRunTest, NeverDeeperThanTheConfigsOwnLimit) {
  config_.acpu.limit = {.kind = config::LimitConfig::Kind::kExplicit, .operations = 3};

  EXPECT_LE(run().backlog.operations_peak.value(), 3U);
}

TEST_F(AdaptiveRunTest, ChoosesNothingWhereNothingIsInFlight) {
  config_.acpu.workers = 0;
  EXPECT_FALSE(run().results.contains("adaptive"));

  config_.device = "cpu";
  EXPECT_FALSE(run().results.contains("adaptive"));
}

}  // namespace
}  // namespace runahead::experiment
