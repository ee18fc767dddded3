// Whole runs of a small MLP under the sync policy `adaptive`.
#include <gtest/gtest.h>

#include "core/experiment/small_run.h"

namespace runahead::experiment {
namespace {

using config::Allocation;
using record::Record;

constexpr std::uint64_t kActivationBytes = 64 * 64 * sizeof(float);

class AdaptiveRunTest : public ::testing::Test, protected SmallRun {
 protected:
  AdaptiveRunTest() {
    config_.batches = 12;
    config_.model.layers = {64, 1};
    config_.data = {.features = 16, .batch_size = 64};
    config_.sync = {"adaptive"};
    config_.acpu.allocation = Allocation::kAtIssue;
  }
};

TEST_F(AdaptiveRunTest, RecordHasTheCeilingAndTheChoices) {
  config_.sync = {"adaptive", {{"ceiling", 123'456'789}}};

  const Record record = run_well();

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

TEST_F(AdaptiveRunTest, CeilingHoldsWhateverTheDepth) {
  config_.sync = {"adaptive", {{"ceiling", 1}}};  // Each allocation is larger, and made alone.
  const Record alone = run_well();
  const std::uint64_t ceiling = alone.memory.committed_peak_bytes.value() + kActivationBytes;
  config_.sync = {"adaptive", {{"ceiling", ceiling}}};
  const Record within = run_well();

  EXPECT_EQ(alone.results.at("limit_notices").size(), 1U) << "whatever the depths chosen";
  EXPECT_EQ(within.results.at("limit_notices").size(), 0U);
  EXPECT_LE(within.memory.committed_peak_bytes.value(), ceiling);
}

TEST_F(AdaptiveRunTest, NeverDeeperThanTheConfigsOwnLimit) {
  config_.acpu.limit = {.kind = config::LimitConfig::Kind::kExplicit, .operations = 3};

  EXPECT_LE(run_well().backlog.operations_peak.value(), 3U);
}

}  // namespace
}  // namespace runahead::experiment
